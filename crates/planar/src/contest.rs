//! The classical exercise: pairs of convex polygons, one distance per line.
//!
//! The format is a line `N M`, then N and M points as `x y`, repeated until `0 0`;
//! white space of any kind separates the numbers. Cases are read one at a time into the
//! same buffers, so any number of them takes the memory of the largest.

use std::fmt;
use std::io::{self, Read, Write};

use glam::DVec2;

use crate::convexity::ConvexityError;
use crate::number::{WordError, Words, write_five_decimals};
use crate::polygon::Polygon;
use crate::pose::Pose2;
use crate::query::polytope_distance;
use crate::separation::Separation2;
use crate::shape::{Shape2, ShapeError2};
use crate::tolerance::{FEW_POINTS, MAX_COORDINATE};

/// Most points one polygon may have; a count. Vertices are numbered in 32 bits.
const MAX_POINTS: f64 = u32::MAX as f64;

/// One pair of polygons as read: points in any order, in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// Line of its `N M`, from 1.
    pub line: u64,
    /// Points of the first polygon.
    pub a: Vec<DVec2>,
    /// Points of the second polygon.
    pub b: Vec<DVec2>,
}

/// Why a file of cases cannot be read on, and the line, from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum CaseError {
    /// A word is not a number.
    NotANumber {
        /// The line.
        line: u64,
        /// The word, cut to a printable length.
        word: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// A coordinate is NaN, infinite, or larger than
    /// [`MAX_COORDINATE`].
    NotFinite {
        /// The line.
        line: u64,
        /// The coordinate as read.
        value: f64,
    },
    /// A number of points that is negative, not whole, zero for one polygon only, or
    /// larger than 2^32.
    BadCount {
        /// The line.
        line: u64,
        /// The count as read.
        value: f64,
    },
    /// Fewer than three distinct points in a polygon.
    TooFewPoints {
        /// The line of the case's counts.
        line: u64,
        /// Which polygon, 1 or 2.
        polygon: u8,
        /// How many distinct points it has.
        distinct: usize,
    },
    /// The text ends in the middle of a case or without `0 0`.
    Truncated {
        /// The last line.
        line: u64,
        /// What should have come.
        expected: &'static str,
    },
    /// The input could not be read, or the output not written.
    Io(io::Error),
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber {
                line,
                word,
                expected,
            } => write!(f, "line {line}: `{word}` is not a number: write {expected}"),
            Self::NotFinite { line, value } => write!(
                f,
                "line {line}: the coordinate is {value}: write a finite number up to \
                 {MAX_COORDINATE:e}"
            ),
            Self::BadCount { line, value } => write!(
                f,
                "line {line}: {value} cannot be a number of points: write two whole numbers of \
                 at least 3, or `0 0` to end"
            ),
            Self::TooFewPoints {
                line,
                polygon,
                distinct,
            } => write!(
                f,
                "line {line}: polygon {polygon} has {distinct} distinct points: it needs at \
                 least 3"
            ),
            Self::Truncated { line, expected } => {
                write!(f, "line {line}: the text ends here: {expected}")
            }
            Self::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl CaseError {
    /// The line at fault, from 1; none when reading or writing itself failed.
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::NotANumber { line, .. }
            | Self::NotFinite { line, .. }
            | Self::BadCount { line, .. }
            | Self::TooFewPoints { line, .. }
            | Self::Truncated { line, .. } => Some(*line),
            Self::Io(_) => None,
        }
    }
}

impl From<io::Error> for CaseError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads cases from a stream, one after the other.
pub struct CaseReader<R> {
    words: Words<R>,
    is_done: bool,
}

impl<R: Read> CaseReader<R> {
    /// A reader at the start of a stream. It reads in blocks of its own, so a
    /// [`std::io::BufReader`] around the stream is not needed.
    pub fn new(reader: R) -> Self {
        Self {
            words: Words::new(reader),
            is_done: false,
        }
    }

    /// Reads the next case into `case`, whose buffers are used again. False after the
    /// closing `0 0`; what follows it is not read.
    pub fn read(&mut self, case: &mut Case) -> Result<bool, CaseError> {
        if self.is_done {
            return Ok(false);
        }
        let counts = "two numbers of points, or `0 0` to end";
        let n = self.number(counts, "a last line `0 0` is missing")?;
        case.line = self.words.line();
        let m = self.number(counts, "the second number of points is missing")?;
        if n == 0.0 && m == 0.0 {
            self.is_done = true;
            return Ok(false);
        }
        self.points(n, 1, case.line, &mut case.a)?;
        self.points(m, 2, case.line, &mut case.b)?;
        Ok(true)
    }

    fn number(&mut self, expected: &'static str, missing: &'static str) -> Result<f64, CaseError> {
        self.words.number().map_err(|error| {
            let line = self.words.line();
            match error {
                WordError::End => CaseError::Truncated {
                    line,
                    expected: missing,
                },
                WordError::Io(error) => CaseError::Io(error),
                WordError::NotANumber(word) => CaseError::NotANumber {
                    line,
                    word,
                    expected,
                },
            }
        })
    }

    /// Reads `count` points of polygon 1 or 2. The buffer grows with what is read, not
    /// with what the count claims.
    fn points(
        &mut self,
        count: f64,
        polygon: u8,
        line: u64,
        points: &mut Vec<DVec2>,
    ) -> Result<(), CaseError> {
        if !(count > 0.0 && count <= MAX_POINTS && count.fract() == 0.0) {
            return Err(CaseError::BadCount { line, value: count });
        }
        points.clear();
        for _ in 0..count as u32 {
            if let Some((x, y)) = self.words.plain_pair() {
                points.push(DVec2::new(x, y));
                continue;
            }
            let x = self.coordinate()?;
            let y = self.coordinate()?;
            points.push(DVec2::new(x, y));
        }
        let distinct = crate::convexity::distinct_up_to_three(points);
        if distinct < 3 {
            return Err(CaseError::TooFewPoints {
                line,
                polygon,
                distinct,
            });
        }
        Ok(())
    }

    fn coordinate(&mut self) -> Result<f64, CaseError> {
        let value = self.number("a coordinate", "coordinates of a polygon are missing")?;
        if value.abs() <= MAX_COORDINATE {
            return Ok(value);
        }
        Err(CaseError::NotFinite {
            line: self.words.line(),
            value,
        })
    }
}

impl Case {
    /// Both polygons, in the same frame.
    ///
    /// Fails only on points that [`CaseReader`] would have refused.
    pub fn shapes(&self) -> Result<(Shape2, Shape2), CaseError> {
        let shape = |points: &[DVec2], polygon| {
            Polygon::new(points)
                .map(Shape2::from)
                .map_err(|error| self.refused(points, polygon, &error))
        };
        Ok((shape(&self.a, 1)?, shape(&self.b, 2)?))
    }

    /// The certified separation of the two polygons. Features are numbered as the points.
    ///
    /// Fails only on points that [`CaseReader`] would have refused.
    pub fn separation(&self) -> Result<Separation2, CaseError> {
        if self.a.len() + self.b.len() <= FEW_POINTS {
            let (a, b) = (self.cloud(&self.a, 1)?, self.cloud(&self.b, 2)?);
            return Ok(polytope_distance(&a, &b, &Pose2::IDENTITY));
        }
        let (a, b) = self.shapes()?;
        let found = polytope_distance(&a, &b, &Pose2::IDENTITY);
        Ok(Separation2 {
            feature_a: a.source_feature(found.feature_a),
            feature_b: b.source_feature(found.feature_b),
            ..found
        })
    }

    /// The points as they are: ordering a few of them takes longer than asking for them.
    fn cloud(&self, points: &[DVec2], polygon: u8) -> Result<Shape2, CaseError> {
        let distinct = crate::convexity::distinct_up_to_three(points);
        if distinct < 3 {
            let error = ConvexityError::TooFewPoints { distinct };
            return Err(self.refused(points, polygon, &error));
        }
        Shape2::points(points.to_vec()).map_err(|error| match error {
            ShapeError2::Points(error) => self.refused(points, polygon, &error),
            _ => self.refused(points, polygon, &ConvexityError::TooFewPoints { distinct }),
        })
    }

    fn refused(&self, points: &[DVec2], polygon: u8, error: &ConvexityError) -> CaseError {
        let line = self.line;
        match *error {
            ConvexityError::NotFinite { index } | ConvexityError::TooLarge { index } => {
                let at = points[index];
                let value = if at.x.abs() <= MAX_COORDINATE {
                    at.y
                } else {
                    at.x
                };
                CaseError::NotFinite { line, value }
            }
            _ => CaseError::TooFewPoints {
                line,
                polygon,
                distinct: crate::convexity::distinct_up_to_three(points),
            },
        }
    }
}

/// Reads cases to the end and writes one distance per line with five decimals; polygons
/// that overlap have distance 0. Returns how many cases there were.
///
/// Memory is that of the largest case. On an error the answers of the cases before it
/// have been written. `output` should be buffered.
pub fn solve(input: impl Read, mut output: impl Write) -> Result<u64, CaseError> {
    let mut reader = CaseReader::new(input);
    let mut case = Case::default();
    let mut count = 0;
    while reader.read(&mut case)? {
        let apart = case.separation()?.distance();
        // Not `max`: it may keep the sign of a zero.
        let apart = if apart > 0.0 { apart } else { 0.0 };
        write_five_decimals(apart, &mut output)?;
        count += 1;
    }
    output.flush()?;
    Ok(count)
}
