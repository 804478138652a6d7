//! Optimisers with PyTorch's semantics, over all parameters as one slice.
//! Cost: one parallel pass over parameters and state.

use rayon::prelude::*;

use crate::config::setters;
use crate::error::{Error, Result};
use crate::kernel::vectorised;
use crate::scalar::Scalar;

/// Parameters a thread works on at a time.
const CHUNK: usize = 32 * 1024;

/// Adam (Kingma, Ba 2015) with L2 weight decay, as `torch.optim.Adam`, or with decoupled decay
/// (Loshchilov, Hutter 2019), as `torch.optim.AdamW`.
///
/// ```
/// use gsn_nn::Adam;
/// let mut adam = Adam::<f64>::new(2, 0.1).with_weight_decay(0.01);
/// let mut parameters = [1.0, -1.0];
/// adam.step(&mut parameters, &[0.5, 0.5])?;
/// assert!(parameters[0] < 1.0 && parameters[1] < -1.0);
/// assert!(adam.step(&mut parameters, &[0.5]).is_err());
/// # Ok::<(), gsn_nn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Adam<T> {
    /// Learning rate.
    pub lr: f64,
    /// Decay of the first and second moment. Default: 0.9 and 0.999.
    pub betas: (f64, f64),
    /// Added to the denominator. Default: 1e-8.
    pub eps: f64,
    /// Multiple of the parameters added to their gradient. Default: 0.
    pub weight_decay: f64,
    /// Takes the decay, times the learning rate, off the parameters themselves instead of adding
    /// it to the gradient. Default: no.
    pub decoupled: bool,
    steps: u64,
    first: Vec<T>,
    second: Vec<T>,
}

impl<T: Scalar> Adam<T> {
    /// For `count` parameters, everything else by default.
    pub fn new(count: usize, lr: f64) -> Self {
        let zero = || vec![T::ZERO; count];
        Self {
            lr,
            betas: (0.9, 0.999),
            eps: 1e-8,
            weight_decay: 0.0,
            decoupled: false,
            steps: 0,
            first: zero(),
            second: zero(),
        }
    }

    setters! {
        with_betas(betas: (f64, f64)),
        with_eps(eps: f64),
        with_weight_decay(weight_decay: f64),
        with_decoupled(decoupled: bool),
    }

    /// One step.
    ///
    /// # Errors
    /// If parameters or gradients are not as many as [`Adam::new`] was told; nothing is changed.
    pub fn step(&mut self, params: &mut [T], grads: &[T]) -> Result<()> {
        let count = (self.first.len(), "moments");
        Error::length("parameters of an Adam step", params.len(), count)?;
        Error::length("gradients of an Adam step", grads.len(), count)?;
        self.steps += 1;
        let t = self.steps.min(i32::MAX as u64) as i32;
        let (b1, b2) = self.betas;
        let step = T::from_f64(self.lr / (1.0 - b1.powi(t)));
        let root = T::from_f64((1.0 - b2.powi(t)).sqrt());
        let eps = T::from_f64(self.eps);
        let (decay, keep) = match self.decoupled {
            true => (T::ZERO, T::from_f64(1.0 - self.lr * self.weight_decay)),
            false => (T::from_f64(self.weight_decay), T::from_f64(1.0)),
        };
        let [c1, d1, c2, d2] = [b1, 1.0 - b1, b2, 1.0 - b2].map(T::from_f64);
        params
            .par_chunks_mut(CHUNK)
            .zip(grads.par_chunks(CHUNK))
            .zip(self.first.par_chunks_mut(CHUNK).zip(self.second.par_chunks_mut(CHUNK)))
            .for_each(|((p, g), (m, v))| {
                vectorised(
                    #[inline(always)]
                    || {
                        for (((p, &g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
                            let g = g + decay * *p;
                            *m = c1 * *m + d1 * g;
                            *v = c2 * *v + d2 * g * g;
                            *p = keep * *p - step * *m / (v.sqrt() / root + eps);
                        }
                    },
                );
            });
        Ok(())
    }

    /// Steps done, first and second moments: what a resumed run needs.
    pub fn state(&self) -> (u64, &[T], &[T]) {
        (self.steps, &self.first, &self.second)
    }

    /// Takes up a state that [`Adam::state`] gave.
    ///
    /// # Errors
    /// If the moments are not for the same number of parameters.
    pub fn restore(&mut self, steps: u64, first: Vec<T>, second: Vec<T>) -> Result<()> {
        let count = (self.first.len(), "parameters");
        Error::length("first moments of a saved Adam", first.len(), count)?;
        Error::length("second moments of a saved Adam", second.len(), count)?;
        (self.steps, self.first, self.second) = (steps, first, second);
        Ok(())
    }
}

/// Stochastic gradient descent with momentum and L2 weight decay, as `torch.optim.SGD`.
///
/// ```
/// use gsn_nn::Sgd;
/// let mut sgd = Sgd::<f64>::new(0.5).with_momentum(0.9);
/// let mut parameters = [1.0];
/// sgd.step(&mut parameters, &[1.0])?;
/// assert_eq!(parameters, [0.5]);
/// # Ok::<(), gsn_nn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sgd<T> {
    /// Learning rate.
    pub lr: f64,
    /// Share of the last direction that is kept. Default: 0.
    pub momentum: f64,
    /// Multiple of the parameters added to their gradient. Default: 0.
    pub weight_decay: f64,
    direction: Option<Vec<T>>,
}

impl<T: Scalar> Sgd<T> {
    /// Without momentum or decay.
    pub fn new(lr: f64) -> Self {
        Self { lr, momentum: 0.0, weight_decay: 0.0, direction: None }
    }

    setters! { with_momentum(momentum: f64), with_weight_decay(weight_decay: f64) }

    /// One step. The first direction is the gradient itself.
    ///
    /// # Errors
    /// If gradients and parameters are not equally many, or not as many as in the step before;
    /// nothing is changed.
    pub fn step(&mut self, params: &mut [T], grads: &[T]) -> Result<()> {
        let count = (params.len(), "parameters");
        Error::length("gradients of an SGD step", grads.len(), count)?;
        if let Some(direction) = &self.direction {
            Error::length("last direction of an SGD step", direction.len(), count)?;
        }
        let [lr, mu, decay] = [self.lr, self.momentum, self.weight_decay].map(T::from_f64);
        let fresh = self.direction.is_none();
        let direction = self.direction.get_or_insert_with(|| vec![T::ZERO; grads.len()]);
        for ((p, &g), d) in params.iter_mut().zip(grads).zip(direction) {
            let g = g + decay * *p;
            *d = if fresh { g } else { mu * *d + g };
            *p -= lr * *d;
        }
        Ok(())
    }

    /// The last direction, empty before the first step: what a resumed run needs.
    pub fn state(&self) -> &[T] {
        self.direction.as_deref().unwrap_or_default()
    }

    /// Takes up a state that [`Sgd::state`] gave.
    pub fn restore(&mut self, direction: Vec<T>) {
        self.direction = (!direction.is_empty()).then_some(direction);
    }
}

/// Scales gradients down so that their 2-norm is at most `max`, as
/// `torch.nn.utils.clip_grad_norm_`; returns the norm before.
///
/// ```
/// let mut g = [3.0f64, 4.0];
/// assert_eq!(gsn_nn::clip_norm(&mut g, 1.0), 5.0);
/// assert!((g[0] - 0.6).abs() < 1e-6);
/// ```
pub fn clip_norm<T: Scalar>(grads: &mut [T], max: f64) -> f64 {
    let parts: Vec<f64> = grads
        .par_chunks(CHUNK)
        .map(|c| c.iter().map(|g| g.to_f64() * g.to_f64()).sum::<f64>())
        .collect();
    let norm = parts.iter().sum::<f64>().sqrt();
    let by = max / (norm + 1e-6);
    if by < 1.0 {
        let by = T::from_f64(by);
        grads.iter_mut().for_each(|g| *g *= by);
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three steps worked out with the textbook formulas.
    #[test]
    fn adam_follows_its_formulas() {
        let (lr, wd) = (0.1, 0.01);
        let mut adam = Adam::new(1, lr).with_weight_decay(wd);
        let mut p = [1.0f64];
        let (mut m, mut v, mut q) = (0.0f64, 0.0f64, 1.0f64);
        for t in 1..=3 {
            let g = 0.3 * t as f64;
            adam.step(&mut p, &[g]).unwrap();
            let g = g + wd * q;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            let (mh, vh) = (m / (1.0 - 0.9f64.powi(t)), v / (1.0 - 0.999f64.powi(t)));
            q -= lr * mh / (vh.sqrt() + 1e-8);
            assert!((p[0] - q).abs() < 1e-14);
        }
        let (steps, first, second) = adam.state();
        let (first, second) = (first.to_vec(), second.to_vec());
        let mut other = Adam::new(1, lr).with_weight_decay(wd);
        other.restore(steps, first, second).unwrap();
        assert_eq!(other, adam);
        assert!(other.restore(1, vec![], vec![]).is_err());
    }

    /// Decoupled decay shrinks the parameters and leaves the gradient alone.
    #[test]
    fn decoupled_decay_follows_its_formula() {
        let mut adam = Adam::new(1, 0.1).with_weight_decay(0.5).with_decoupled(true);
        let mut p = [2.0f64];
        adam.step(&mut p, &[0.3]).unwrap();
        // The first step of Adam is one learning rate long.
        assert!((p[0] - (2.0 * (1.0 - 0.1 * 0.5) - 0.1)).abs() < 1e-8);
    }

    #[test]
    fn sgd_with_momentum() {
        let mut sgd = Sgd::new(0.1).with_momentum(0.9);
        let mut p = [1.0f64];
        sgd.step(&mut p, &[1.0]).unwrap();
        assert!((p[0] - 0.9).abs() < 1e-15);
        sgd.step(&mut p, &[0.5]).unwrap();
        assert!((p[0] - (0.9 - 0.1 * 1.4)).abs() < 1e-15);
    }

    /// A step whose lengths differ is refused by name and changes nothing.
    #[test]
    fn lengths_that_differ_are_refused() {
        let mut p = [1.0f64, 2.0];
        let mut adam = Adam::new(2, 0.1);
        let before = adam.clone();
        for (params, grads) in [(2, 1), (2, 3), (1, 2), (1, 1)] {
            let mut some = vec![1.0; params];
            let e = adam.step(&mut some, &vec![0.5; grads]).unwrap_err();
            assert!(matches!(e, Error::Length { wanted: 2, .. }), "{e}");
            assert_eq!((&some, &adam), (&vec![1.0; params], &before));
        }
        let e = adam.step(&mut p, &[0.5]).unwrap_err().to_string();
        assert_eq!(e, "gradients of an Adam step: 1 numbers, but there are 2 moments");
        let mut sgd = Sgd::new(0.1).with_momentum(0.9);
        assert!(sgd.step(&mut p, &[0.5]).is_err());
        assert_eq!((p, sgd.state()), ([1.0, 2.0], &[][..]));
        sgd.step(&mut p, &[0.5, 0.5]).unwrap();
        assert!(sgd.step(&mut [1.0], &[0.5]).is_err());
    }
}
