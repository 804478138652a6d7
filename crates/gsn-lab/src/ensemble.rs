//! What several members say together: the mean of their predictions and the spread around it.
//!
//! Numbers of a regression are averaged in the unit of the data, answers to yes-or-no questions
//! and classes as probabilities. The mean is Σx / n, summed in the order of the members; the
//! spread is the sample standard deviation √(Σ(x − mean)² / (n − 1)). One member's mean is what
//! it says, bit for bit.

/// A prediction for one graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Numbers in the unit of the data, or probabilities: of yes for every question, or of every
    /// class.
    pub numbers: Vec<f64>,
    /// Sample standard deviation of each over the members, if there are several.
    pub spread: Option<Vec<f64>>,
}

impl Said {
    /// The mean of what members say, probabilities instead of logits; nothing if nobody says
    /// anything, or not all as many numbers.
    ///
    /// ```
    /// use gsn_lab::ensemble::Said;
    /// let said = Said::mean_of(&[vec![1.0], vec![2.0], vec![6.0]]).unwrap();
    /// assert_eq!((said.numbers, said.spread), (vec![3.0], Some(vec![7.0_f64.sqrt()])));
    /// assert_eq!(Said::mean_of(&[vec![0.1]]).unwrap().numbers, [0.1]);
    /// ```
    pub fn mean_of<N: AsRef<[f64]>>(members: &[N]) -> Option<Self> {
        let width = members.first()?.as_ref().len();
        if members.iter().any(|member| member.as_ref().len() != width) {
            return None;
        }
        let count = members.len() as f64;
        let all = |at: usize| members.iter().map(move |member| member.as_ref()[at]);
        let numbers: Vec<f64> = (0..width).map(|at| all(at).sum::<f64>() / count).collect();
        let spread = |at: usize| {
            let squares: f64 = all(at).map(|x| (x - numbers[at]) * (x - numbers[at])).sum();
            (squares / (count - 1.0)).sqrt()
        };
        let spread = (members.len() > 1).then(|| (0..width).map(spread).collect());
        Some(Self { numbers, spread })
    }

    /// The class with the largest probability, the first of several.
    pub fn class(&self) -> Option<usize> {
        first_largest(&self.numbers)
    }
}

/// The place of the largest number, the first of several.
pub(crate) fn first_largest(numbers: &[f64]) -> Option<usize> {
    (0..numbers.len()).reduce(|a, b| if numbers[b] > numbers[a] { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_must_agree_on_what_they_predict() {
        assert_eq!(Said::mean_of::<Vec<f64>>(&[]), None);
        assert_eq!(Said::mean_of(&[vec![1.0], vec![1.0, 2.0]]), None);
        let said = Said::mean_of(&[vec![0.2, 0.8], vec![0.4, 0.6]]).unwrap();
        assert_eq!(said.class(), Some(1));
        assert_eq!(said.numbers, [(0.2 + 0.4) / 2.0, (0.8 + 0.6) / 2.0]);
    }
}
