//! Draws a figure of line plots side by side as an SVG file: linear or logarithmic axes, equal scales for maps such as
//! orbits, ticks at round numbers, a legend under each panel.
//!
//! Whatever the data, the figure is drawn: points that an axis cannot show (not finite; not positive on a logarithmic
//! axis) are left out, and a line is broken there.

use std::fmt::{self, Write as _};
use std::path::Path;
use std::{fs, io};

/// Side of the square that a panel's data are drawn in, px.
const SIDE: f64 = 400.0;
/// Room in a panel to the left (tick labels, axis label), to the right, above (title) and below (ticks, axis label).
const LEFT: f64 = 68.0;
const RIGHT: f64 = 26.0;
const ABOVE: f64 = 44.0;
const BELOW: f64 = 52.0;
/// Height of the figure's title, of a line of its legends, and its outer margin.
const TITLE: f64 = 40.0;
const LEGEND_LINE: f64 = 20.0;
const MARGIN: f64 = 14.0;
/// Width that a character of the legend takes, about.
const CHARACTER: f64 = 7.3;
/// Length of the line or the room of the mark in front of a legend's entry, with its gaps.
const SWATCH: f64 = 46.0;

const COLORS: [&str; 9] =
    ["#2166ac", "#e08214", "#1b7837", "#b2182b", "#762a83", "#8c510a", "#01969a", "#c51b7d", "#555555"];

/// Panels side by side under a title.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Stands above all panels.
    pub title: String,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// A pair of axes and what is drawn on them.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Stands above the panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Whether a unit is as long on both axes (then both should be linear).
    pub equal: bool,
    /// Drawn in this order, the last on top.
    pub series: Vec<Series>,
}

/// What an axis is called and how it is divided.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// Name and unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
}

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; shows positive numbers only.
    Log,
}

/// Points, and how they are drawn.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend; a series without one is not in the legend.
    pub label: String,
    /// (x, y) in the units of the axes.
    pub points: Vec<(f64, f64)>,
    /// Line, dots, or both.
    pub mark: Mark,
    /// A number into the palette, taken modulo its length.
    pub color: usize,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// A thin dashed line, for what others are measured against.
    Dashes,
    /// A dot at each point.
    Dots,
    /// A line with a dot at each point.
    LineAndDots,
}

impl Series {
    /// A series in the palette's colour number `color`.
    pub fn new(label: impl Into<String>, mark: Mark, color: usize, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, mark, color }
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log }
    }
}

impl Figure {
    /// Writes the figure to `file`, and makes the file's folder if it is not there.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, self.to_string())
    }
}

/// The text of the SVG file.
impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let legends: Vec<Vec<Vec<&Series>>> = self.panels.iter().map(Panel::legend).collect();
        let legend_lines = legends.iter().map(Vec::len).max().unwrap_or(0);
        let panel_width = LEFT + SIDE + RIGHT;
        let width = 2.0 * MARGIN + panel_width * self.panels.len().max(1) as f64;
        let height = 2.0 * MARGIN + TITLE + ABOVE + SIDE + BELOW + LEGEND_LINE * legend_lines as f64;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#333\">"
        )?;
        writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
        let (x, y) = (MARGIN + LEFT, MARGIN + 20.0);
        text(out, x, y, "font-size=\"18\" font-weight=\"bold\" fill=\"#111\"", &self.title)?;
        for (number, (panel, legend)) in self.panels.iter().zip(&legends).enumerate() {
            let x = MARGIN + LEFT + panel_width * number as f64;
            writeln!(out, "<g transform=\"translate({x} {})\">", MARGIN + TITLE + ABOVE)?;
            panel.draw(out, legend)?;
            writeln!(out, "</g>")?;
        }
        writeln!(out, "</svg>")
    }
}

impl Panel {
    /// Draws the panel; the origin is the upper left corner of its square.
    fn draw(&self, out: &mut impl fmt::Write, legend: &[Vec<&Series>]) -> fmt::Result {
        let (x, y) = self.ranges();
        writeln!(out, "<rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#fafafa\"/>")?;
        for (at, label) in x.ticks() {
            let px = x.px(at);
            writeln!(out, "<path d=\"M{px:.2} 0V{SIDE}\" stroke=\"#e2e2e2\"/>")?;
            text(out, px, SIDE + 18.0, "text-anchor=\"middle\"", &label)?;
        }
        for (at, label) in y.ticks() {
            let py = SIDE - y.px(at);
            writeln!(out, "<path d=\"M0 {py:.2}H{SIDE}\" stroke=\"#e2e2e2\"/>")?;
            text(out, -8.0, py + 4.0, "text-anchor=\"end\"", &label)?;
        }
        for series in &self.series {
            series.draw(out, &x, &y)?;
        }
        writeln!(out, "<rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#888\"/>")?;
        text(out, 0.0, -12.0, "font-size=\"14\" font-weight=\"bold\"", &self.title)?;
        text(out, SIDE / 2.0, SIDE + 40.0, "text-anchor=\"middle\"", &self.x.label)?;
        let upright =
            format!("text-anchor=\"middle\" transform=\"translate({} {}) rotate(-90)\"", 18.0 - LEFT, SIDE / 2.0);
        text(out, 0.0, 0.0, &upright, &self.y.label)?;
        for (row, line) in legend.iter().enumerate() {
            let y = SIDE + BELOW + LEGEND_LINE * (row as f64 + 0.5);
            let mut x = 0.0;
            for series in line {
                series.swatch(out, x, y - 4.0)?;
                text(out, x + 34.0, y, "", &series.label)?;
                x += legend_width(series);
            }
        }
        Ok(())
    }

    /// The legend's entries, broken into lines that fit under the panel.
    fn legend(&self) -> Vec<Vec<&Series>> {
        let mut lines: Vec<Vec<&Series>> = Vec::new();
        let mut used = f64::INFINITY;
        for series in self.series.iter().filter(|series| !series.label.is_empty()) {
            let wide = legend_width(series);
            match lines.last_mut() {
                Some(line) if used + wide <= SIDE + RIGHT => {
                    line.push(series);
                    used += wide;
                }
                _ => {
                    lines.push(vec![series]);
                    used = wide;
                }
            }
        }
        lines
    }

    fn ranges(&self) -> (Range, Range) {
        let shown = || {
            let points = self.series.iter().flat_map(|series| &series.points);
            points.filter(|&&(x, y)| self.x.scale.place(x).is_some() && self.y.scale.place(y).is_some())
        };
        let mut x = Range::around(self.x.scale, shown().map(|point| point.0));
        let mut y = Range::around(self.y.scale, shown().map(|point| point.1));
        if self.equal {
            let length = x.length().max(y.length());
            x.stretch(length);
            y.stretch(length);
        }
        (x, y)
    }
}

impl Series {
    fn style(&self) -> String {
        let color = COLORS[self.color % COLORS.len()];
        match self.mark {
            Mark::Dots => format!("fill=\"{color}\""),
            Mark::Dashes => format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1\" stroke-dasharray=\"5 4\""),
            Mark::Line | Mark::LineAndDots => {
                format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\" stroke-linejoin=\"round\"")
            }
        }
    }

    fn draw(&self, out: &mut impl fmt::Write, x: &Range, y: &Range) -> fmt::Result {
        let color = COLORS[self.color % COLORS.len()];
        let mut line = String::new();
        let mut dots = String::new();
        let mut pen_down = false;
        for &(px, py) in &self.points {
            if x.scale.place(px).is_none() || y.scale.place(py).is_none() {
                pen_down = false;
                continue;
            }
            let (px, py) = (x.px(px), SIDE - y.px(py));
            write!(line, "{}{px:.2} {py:.2}", if pen_down { 'L' } else { 'M' })?;
            write!(dots, "<circle cx=\"{px:.2}\" cy=\"{py:.2}\" r=\"{}\"/>", self.radius())?;
            pen_down = true;
        }
        if self.mark != Mark::Dots && !line.is_empty() {
            writeln!(out, "<path d=\"{line}\" {}/>", self.style())?;
        }
        if matches!(self.mark, Mark::Dots | Mark::LineAndDots) {
            writeln!(out, "<g fill=\"{color}\">{dots}</g>")?;
        }
        Ok(())
    }

    /// The sample of the mark that stands in the legend, its left end at (x, y).
    fn swatch(&self, out: &mut impl fmt::Write, x: f64, y: f64) -> fmt::Result {
        if self.mark != Mark::Dots {
            writeln!(out, "<path d=\"M{x} {y}h26\" {}/>", self.style())?;
        }
        if matches!(self.mark, Mark::Dots | Mark::LineAndDots) {
            let color = COLORS[self.color % COLORS.len()];
            writeln!(out, "<circle cx=\"{}\" cy=\"{y}\" r=\"{}\" fill=\"{color}\"/>", x + 13.0, self.radius())?;
        }
        Ok(())
    }

    fn radius(&self) -> f64 {
        if self.mark == Mark::LineAndDots { 3.2 } else { 2.0 }
    }
}

impl Scale {
    /// Where `value` lies on the axis, in the axis's own measure; none where it cannot be shown.
    fn place(self, value: f64) -> Option<f64> {
        match self {
            Self::Linear => Some(value),
            Self::Log => (value > 0.0).then(|| value.log10()),
        }
        .filter(|place| place.is_finite())
    }
}

/// What an axis shows, in the measure of its scale (values, or their decimal logarithms).
#[derive(Clone, Copy, Debug)]
struct Range {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Range {
    /// A range that holds `values` with some room on both sides.
    fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let ends = values.filter_map(|value| scale.place(value)).fold(None, |ends, place| match ends {
            None => Some((place, place)),
            Some((low, high)) => Some((place.min(low), place.max(high))),
        });
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        let room = match scale {
            // Of a range without extent: as much as its numbers are large.
            Scale::Linear if high - low <= 1e-12 * high.abs().max(low.abs()) => 0.5 * high.abs().max(1e-300),
            Scale::Log if high - low < 0.1 => 0.5,
            _ => 0.05 * (high - low),
        };
        Self { scale, low: low - room, high: high + room.max(f64::MIN_POSITIVE) }
    }

    fn length(&self) -> f64 {
        self.high - self.low
    }

    fn stretch(&mut self, length: f64) {
        let middle = 0.5 * (self.low + self.high);
        (self.low, self.high) = (middle - 0.5 * length, middle + 0.5 * length);
    }

    /// How far `value` is from the low end, px.
    fn px(&self, value: f64) -> f64 {
        let place = self.scale.place(value).unwrap_or(self.low);
        SIDE * (place - self.low) / self.length()
    }

    /// Round values in the range, with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
        }
    }

    /// Multiples of 1, 2 or 5 times a power of ten, four to eight of them.
    fn linear_ticks(&self) -> Vec<(f64, String)> {
        let about = self.length() / 8.0;
        let power = 10f64.powf(about.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&step| step >= about).unwrap_or(about);
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        let count = (last - first).clamp(0.0, 20.0) as i32; // 20: more than there are, unless rounding spoiled the range
        (0..=count)
            .map(|k| (first + f64::from(k)) * step)
            .map(|value| {
                let large = value.abs() >= 1e6 || (step < 1e-6 && value != 0.0);
                (value, if large { format!("{value:e}") } else { format!("{value:.decimals$}") })
            })
            .map(|(value, label)| (value, label.replace('-', "−")))
            .collect()
    }

    /// Powers of ten; where the range holds fewer than two, also 2 and 5 times them.
    fn log_ticks(&self) -> Vec<(f64, String)> {
        let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
        if last > first {
            let every = ((last - first) / 8 + 1).max(1);
            return (first..=last)
                .filter(|power| power.rem_euclid(every) == 0)
                .map(|power| (10f64.powi(power), power_of_ten(power)))
                .collect();
        }
        (first - 1..=last + 1)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(power)))
            .filter(|value| (self.low..=self.high).contains(&value.log10()))
            .map(|value| (value, if (1e-3..1e5).contains(&value) { format!("{value}") } else { format!("{value:e}") }))
            .collect()
    }
}

/// 10 with `power` raised.
fn power_of_ten(power: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    match power {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", power.to_string().chars().map(raised).collect::<String>()),
    }
}

fn legend_width(series: &Series) -> f64 {
    SWATCH + CHARACTER * series.label.chars().count() as f64
}

/// Writes `content` at (x, y); `style` are further attributes.
fn text(out: &mut impl fmt::Write, x: f64, y: f64, style: &str, content: &str) -> fmt::Result {
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    writeln!(out, "<text x=\"{x:.2}\" y=\"{y:.2}\" {style}>{content}</text>")
}
