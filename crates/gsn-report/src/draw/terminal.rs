//! Graphs as text: edges in braille dots (2 × 4 to a character), vertices as short labels.

use super::plane::{Point, bounds};

/// A label on the picture and how it is coloured.
pub struct Label {
    /// Where.
    pub place: Point,
    /// One or a few characters.
    pub text: String,
    /// Number of its colour.
    pub colour: usize,
}

/// A rectangle of characters that lines and labels are drawn on.
struct Canvas {
    width: usize,
    height: usize,
    dots: Vec<u8>,
    over: Vec<Option<(char, Option<usize>)>>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, dots: vec![0; width * height], over: vec![None; width * height] }
    }

    fn dot(&mut self, x: i64, y: i64) {
        if x < 0 || y < 0 || x as usize >= 2 * self.width || y as usize >= 4 * self.height {
            return;
        }
        let (x, y) = (x as usize, y as usize);
        // Braille numbers its dots 1 2 3 7 down the left and 4 5 6 8 down the right column.
        let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][y % 4][x % 2];
        self.dots[y / 4 * self.width + x / 2] |= 1 << bit;
    }

    fn line(&mut self, p: Point, q: Point) {
        let steps = (q.0 - p.0).abs().max((q.1 - p.1).abs()).ceil().max(1.0);
        for i in 0..=steps as usize {
            let t = i as f64 / steps;
            let (x, y) = (p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1));
            self.dot(x.round() as i64, y.round() as i64);
        }
    }

    fn text(&mut self, at: Point, text: &str, colour: Option<usize>) {
        let row = (at.1 / 4.0).floor() as i64;
        let first = (at.0 / 2.0).floor() as i64 - (text.chars().count() as i64 - 1) / 2;
        for (column, letter) in (first..).zip(text.chars()) {
            if (0..self.width as i64).contains(&column) && (0..self.height as i64).contains(&row) {
                self.over[row as usize * self.width + column as usize] = Some((letter, colour));
            }
        }
    }

    fn rows(&self, paint: impl Fn(usize, &str) -> String) -> Vec<String> {
        let cell = |at: usize| match (self.over[at], self.dots[at]) {
            (Some((letter, Some(colour))), _) => paint(colour, &letter.to_string()),
            (Some((letter, None)), _) => letter.to_string(),
            (None, 0) => " ".to_owned(),
            (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ').to_string(),
        };
        (0..self.height)
            .map(|row| (0..self.width).map(|column| cell(row * self.width + column)).collect())
            .collect()
    }
}

/// Draws edges between `places` and labels on top, in at most `room` columns and rows. Arcs of
/// `directed` graphs get an arrow before their head. `paint` gives text of a label the colour of a
/// number. Every row has as many columns.
pub fn draw(
    places: &[Point],
    edges: &[(usize, usize)],
    directed: bool,
    labels: &[Label],
    room: (usize, usize),
    paint: impl Fn(usize, &str) -> String,
) -> Vec<String> {
    let (low, high) = bounds(places);
    let (wide, tall) = (high.0 - low.0, high.1 - low.1);
    let longest = labels.iter().map(|label| label.text.chars().count()).max().unwrap_or(1);
    // In dots, of which a character has 2 × 4; dots are square.
    let free = (2.0 * room.0.saturating_sub(longest) as f64, 4.0 * room.1.saturating_sub(1) as f64);
    let factor = (free.0 / wide.max(1e-9)).min(free.1 / tall.max(1e-9)).min(18.0);
    // Vertices stand in the middle of a character, at the same distance on both sides of the
    // middle of the picture, and edges run between these places.
    let steps = |distance: f64, unit: f64| (distance * factor / unit * 1e6).round() / 1e6;
    let (half_x, half_y) = ((room.0 as f64 - 1.0) / 2.0, steps(tall / 2.0, 4.0).round());
    let centre = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
    let put = |p: Point| {
        let column = (half_x.floor() + steps(p.0 - centre.0, 2.0).round()).max(0.0);
        let row = (half_y + steps(p.1 - centre.1, 4.0).round()).max(0.0);
        (2.0 * column + 0.5, 4.0 * row + 1.5)
    };
    let mut canvas = Canvas::new(room.0, 2 * half_y as usize + 1);
    for &(a, b) in edges {
        canvas.line(put(places[a]), put(places[b]));
    }
    for &(a, b) in edges.iter().filter(|_| directed) {
        let (p, q) = (put(places[a]), put(places[b]));
        let at = (p.0 + 0.65 * (q.0 - p.0), p.1 + 0.65 * (q.1 - p.1));
        canvas.text(at, arrow(q.0 - p.0, q.1 - p.1), None);
    }
    for label in labels {
        canvas.text(put(label.place), &label.text, Some(label.colour));
    }
    canvas.rows(paint)
}

/// The arrow that points most nearly this way.
fn arrow(dx: f64, dy: f64) -> &'static str {
    const ARROWS: [&str; 8] = ["→", "↘", "↓", "↙", "←", "↖", "↑", "↗"];
    let eighth = (dy.atan2(dx) / std::f64::consts::FRAC_PI_4).round() as i64;
    ARROWS[eighth.rem_euclid(8) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_where_their_vertices_are() {
        let places = [(-1.0, 0.0), (1.0, 0.0)];
        let labels = [('A', 0), ('B', 1)].map(|(letter, i)| Label {
            place: places[i],
            text: letter.into(),
            colour: i,
        });
        let rows = draw(&places, &[(0, 1)], true, &labels, (21, 5), |_, text| text.to_owned());
        assert_eq!(rows.len(), 1);
        let row = rows[0].trim();
        assert!(row.starts_with('A') && row.ends_with('B') && row.contains('→'), "{row:?}");
        assert_eq!(rows[0].chars().count(), 21);
    }

    #[test]
    fn arrows_point_along_the_arc() {
        assert_eq!(arrow(1.0, 0.1), "→");
        assert_eq!(arrow(-1.0, 0.0), "←");
        assert_eq!(arrow(0.0, -2.0), "↑");
        assert_eq!(arrow(1.0, 1.0), "↘");
    }
}
