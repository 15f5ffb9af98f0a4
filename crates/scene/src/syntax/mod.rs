//! Reading RON text into a tree that remembers where everything stood.
//!
//! The `ron` crate stops at its first mistake and drops positions once a value is read.
//! A scene wants every mistake at once, each at its exact token, also those found long
//! after reading (a joint to a body that does not exist). So the text is read into a
//! [`Value`] tree with spans first; `tests/is_ron.rs` holds it against `ron` itself.

mod parse;
mod token;
mod value;

pub(crate) use parse::parse;
pub(crate) use value::{Field, Kind, Number, Value, Word};
