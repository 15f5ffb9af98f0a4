//! What `drystone query` and `drystone explain` accept. The help texts teach by example.

use std::path::PathBuf;

use clap::Args;
use drystone::glam::{DQuat, DVec3};
use drystone_scene::tolerance::{MAX_COORDINATE, MAX_DEGREES};

const QUERY_EXAMPLES: &str = "\
A file about a pair:

  (
      format: 1,
      a: (shape: Box(half_extents: (2, 0.5, 1))),
      b: (shape: Hull(file: \"stone.obj\"), position: (0, 3, 0),
          rotation: Turn(axis: (0, 0, 1), degrees: 30)),
      motion: (frames: 20, move: (0, -0.1, 0)),
  )

Every distance comes with a lower and an upper bound that were computed from the shapes.
`ask` may also be Contact, Ray(from: (0, 9, 0), to: (0, -9, 0)), Cast(move: (0, -3, 0)) or
Motion(b: (move: (0, -3, 0), spin: (0, 0, 6.28))): the points of contact, where a ray enters,
and when moving shapes first touch.

With a motion the pair is tracked, and each frame says by what it was answered: a walk from
the last features, GJK, EPA, and for `ask: Contact` also what was kept from the last frame.
`drystone schema pair` shows all shapes and fields.

Examples:
  drystone query scenes/pairs/corner_on_face.ron
  drystone query scenes/pairs/falling_cone.ron
  drystone query a.obj b.stl --at 0,3,0 --turn z:30
  drystone query scenes/pairs/rolling_by.ron --json | jq .distance

Exit codes:
  0  done
  2  wrong usage, or a mistake in the file
  4  a file could not be read or written";

/// Options of `query`.
#[derive(Debug, Args)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryOptions {
    #[command(flatten)]
    pub(crate) pair: PairArgs,
    /// Print one line of JSON per frame.
    #[arg(long)]
    pub(crate) json: bool,
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  drystone explain scenes/pairs/deep_hulls.ron
  drystone explain scenes/pairs/deep_hulls.ron -o deep.html
  drystone explain a.obj b.stl --at 0,3,0

Exit codes:
  0  done
  2  wrong usage, or a mistake in the file
  4  a file could not be read or written";

/// Options of `explain`.
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ExplainOptions {
    #[command(flatten)]
    pub(crate) pair: PairArgs,
    /// Write one HTML page that shows both shapes and every step, offline.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The pair that is meant.
#[derive(Debug, Args)]
pub(crate) struct PairArgs {
    /// A file about a pair, in RON; or two hulls, as .obj or .stl.
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where the second hull stands, in m.
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    pub(crate) at: Option<DVec3>,
    /// A turn of the second hull about the x, y or z axis, in degrees; several are done in
    /// their order.
    #[arg(long, value_name = "AXIS:DEGREES", value_parser = turn)]
    pub(crate) turn: Vec<Turned>,
}

/// A unit quaternion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turned(pub(crate) DQuat);

fn place(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text
        .split(',')
        .filter_map(|part| part.trim().parse().ok())
        .filter(|number: &f64| number.abs() <= MAX_COORDINATE)
        .collect();
    match numbers.as_slice() {
        &[x, y, z] if text.split(',').count() == 3 => Ok(DVec3::new(x, y, z)),
        _ => Err(format!(
            "three numbers with commas, within +-{MAX_COORDINATE:e}, are needed, such as `0,2.5,0`"
        )),
    }
}

fn turn(text: &str) -> Result<Turned, String> {
    let wrong =
        || format!("an axis and an angle within +-{MAX_DEGREES} are needed, such as `y:45`");
    let (axis, degrees) = text.split_once(':').ok_or_else(wrong)?;
    let degrees: f64 = degrees.trim().parse().map_err(|_| wrong())?;
    if degrees.is_nan() || degrees.abs() > MAX_DEGREES {
        return Err(wrong());
    }
    let (sin, cos) = libm::sincos(0.5 * degrees.to_radians());
    let [x, y, z] = match axis.trim() {
        "x" => [sin, 0.0, 0.0],
        "y" => [0.0, sin, 0.0],
        "z" => [0.0, 0.0, sin],
        _ => return Err(wrong()),
    };
    Ok(Turned(DQuat::from_xyzw(x, y, z, cos)))
}
