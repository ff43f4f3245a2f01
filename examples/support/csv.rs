//! Reads `planets.csv`: where the Sun and nine planets were, epoch by epoch.
//!
//! The file has a header and then one row for each body at each epoch, epochs in ascending order; lines that begin
//! with `#` are comments. Whatever departs from that is an error with file, line and what was expected there. (The lines
//! are split here and not by a CSV library, whose line numbers are off after comments; no field needs quotes.)

use std::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The columns, as the header must name them.
pub const COLUMNS: [&str; 8] = ["day", "body", "x", "y", "z", "vx", "vy", "vz"];

/// A body of the ephemeris; its number is its place in an [`Epoch`]'s arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Sun,
    Mercury,
    Venus,
    /// The barycentre of the Earth and the Moon.
    EarthMoon,
    Mars,
    Jupiter,
    Saturn,
    Uranus,
    Neptune,
    Pluto,
}

impl Body {
    /// All bodies, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Sun,
        Self::Mercury,
        Self::Venus,
        Self::EarthMoon,
        Self::Mars,
        Self::Jupiter,
        Self::Saturn,
        Self::Uranus,
        Self::Neptune,
        Self::Pluto,
    ];

    /// The body's name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sun => "sun",
            Self::Mercury => "mercury",
            Self::Venus => "venus",
            Self::EarthMoon => "earthmoon",
            Self::Mars => "mars",
            Self::Jupiter => "jupiter",
            Self::Saturn => "saturn",
            Self::Uranus => "uranus",
            Self::Neptune => "neptune",
            Self::Pluto => "pluto",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|body| body.name() == name)
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All bodies at one time. Arrays are indexed by `Body as usize`.
#[derive(Clone, Debug, PartialEq)]
pub struct Epoch {
    /// Days since 2000-01-01 12:00 (JD 2451545.0), TDB.
    pub day: f64,
    /// Barycentric positions along the ICRF axes, au.
    pub position: [[f64; 3]; 10],
    /// Velocities along the same axes, au/day.
    pub velocity: [[f64; 3]; 10],
}

/// Why a file is not an ephemeris.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", file.display())]
    Io { file: PathBuf, source: io::Error },
    /// The file was read, and a line of it is wrong.
    #[error("{}:{line}: {problem}", file.display())]
    Line { file: PathBuf, line: usize, problem: Problem },
}

/// What is wrong with a line, and what was expected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The file ends before the header.
    #[error("the file is empty; expected the header `{}`", COLUMNS.join(","))]
    Empty,
    /// The first line that is not a comment is not the header.
    #[error("expected the header `{}`, found `{found}`", COLUMNS.join(","))]
    Header { found: String },
    /// The header is all there is.
    #[error("expected a row after the header, found the end of the file")]
    NoRows,
    /// A line is not UTF-8.
    #[error("expected UTF-8 text")]
    NotText,
    /// A row has too few or too many fields.
    #[error("expected {} fields ({}), found {found}", COLUMNS.len(), COLUMNS.join(","))]
    Fields { found: usize },
    /// A field that should hold a number holds something else.
    #[error("column `{column}`: expected a number, found `{found}`")]
    NotANumber { column: &'static str, found: String },
    /// A number that is infinite, NaN, or too large for f64.
    #[error("column `{column}`: expected a finite number, found `{found}`")]
    NotFinite { column: &'static str, found: String },
    /// A body that is none of ours.
    #[error("column `body`: expected one of {}, found `{found}`", Body::ALL.map(Body::name).join(", "))]
    UnknownBody { found: String },
    /// The same body twice at one epoch.
    #[error("expected each body once at day {day}, found a second row for `{body}`")]
    Repeated { day: f64, body: Body },
    /// The epoch before this line, or before the end of the file, lacks a body.
    #[error("day {day} has no row for `{body}`; expected one before this line")]
    Missing { day: f64, body: Body },
    /// Time goes backwards.
    #[error("expected a day after {previous}, found {found}")]
    Order { previous: f64, found: f64 },
}

/// Reads the ephemeris in `file`: at least one epoch, each with all bodies, in ascending time.
pub fn read(file: &Path) -> Result<Vec<Epoch>, Error> {
    let bytes = fs::read(file).map_err(|source| Error::Io { file: file.into(), source })?;
    parse(&bytes, file)
}

/// Reads an ephemeris from the contents of a file; `file` is what errors call it.
pub fn parse(bytes: &[u8], file: &Path) -> Result<Vec<Epoch>, Error> {
    let at = |line: usize| move |problem: Problem| Error::Line { file: file.into(), line, problem };
    let text = str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        at(1 + good.iter().filter(|&&byte| byte == b'\n').count())(Problem::NotText)
    })?;

    // Lines with their numbers, from 1, without comments and blank lines.
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let end = text.lines().count() + 1;

    let (line, header) = lines.next().ok_or_else(|| at(1)(Problem::Empty))?;
    check_header(header).map_err(at(line))?;

    let mut epochs = Vec::new();
    let mut open: Option<OpenEpoch> = None;
    for (line, text) in lines {
        let row = Row::parse(text).map_err(at(line))?;
        let epoch = match open.take() {
            Some(epoch) if epoch.day == row.day => epoch,
            Some(epoch) if epoch.day < row.day => {
                epochs.push(epoch.close().map_err(at(line))?);
                OpenEpoch::new(row.day)
            }
            Some(epoch) => return Err(at(line)(Problem::Order { previous: epoch.day, found: row.day })),
            None => OpenEpoch::new(row.day),
        };
        open = Some(epoch.with(&row).map_err(at(line))?);
    }
    let last = open.ok_or_else(|| at(end)(Problem::NoRows))?;
    epochs.push(last.close().map_err(at(end))?);
    Ok(epochs)
}

/// One row of the file.
struct Row {
    day: f64,
    body: Body,
    position: [f64; 3],
    velocity: [f64; 3],
}

impl Row {
    fn parse(line: &str) -> Result<Self, Problem> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != COLUMNS.len() {
            return Err(Problem::Fields { found: fields.len() });
        }
        let body = Body::from_name(fields[1]).ok_or_else(|| Problem::UnknownBody { found: fields[1].into() })?;
        let number = |column: usize| number(COLUMNS[column], fields[column]);
        Ok(Self {
            day: number(0)?,
            body,
            position: [number(2)?, number(3)?, number(4)?],
            velocity: [number(5)?, number(6)?, number(7)?],
        })
    }
}

fn number(column: &'static str, text: &str) -> Result<f64, Problem> {
    let value: f64 = text.parse().map_err(|_| Problem::NotANumber { column, found: text.into() })?;
    if value.is_finite() { Ok(value) } else { Err(Problem::NotFinite { column, found: text.into() }) }
}

fn check_header(line: &str) -> Result<(), Problem> {
    if line.split(',').map(str::trim).eq(COLUMNS) { Ok(()) } else { Err(Problem::Header { found: line.trim().into() }) }
}

/// An epoch of which not all rows have been read.
struct OpenEpoch {
    day: f64,
    states: [Option<([f64; 3], [f64; 3])>; 10],
}

impl OpenEpoch {
    fn new(day: f64) -> Self {
        Self { day, states: [None; 10] }
    }

    fn with(mut self, row: &Row) -> Result<Self, Problem> {
        match self.states[row.body as usize].replace((row.position, row.velocity)) {
            None => Ok(self),
            Some(_) => Err(Problem::Repeated { day: row.day, body: row.body }),
        }
    }

    fn close(self) -> Result<Epoch, Problem> {
        let mut epoch = Epoch { day: self.day, position: [[0.0; 3]; 10], velocity: [[0.0; 3]; 10] };
        for body in Body::ALL {
            let (position, velocity) = self.states[body as usize].ok_or(Problem::Missing { day: self.day, body })?;
            epoch.position[body as usize] = position;
            epoch.velocity[body as usize] = velocity;
        }
        Ok(epoch)
    }
}
