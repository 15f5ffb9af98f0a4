//! Snapshots: a world as bytes, and back, bit for bit.
//!
//! A snapshot holds everything that decides how the world goes on, caches, islands, sleep
//! and the order of all lists included, but not what follows from it: frames, boxes, pair
//! lists, anchors from the centre of mass. What is read is checked as a whole before it
//! becomes a world: any bytes give a world that is sound or an error that says why not.

mod bodies;
mod constraints;
mod load;
mod stored;

use std::fmt;

use drystone_geometry::Workers;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::World;
use crate::check;
use crate::def::Settings;
use crate::hash::Hash;
use crate::world::{new_workers, resolve_level};

use stored::Stored;
pub(crate) use stored::{StoredContact, StoredMotion};

/// First bytes of every snapshot.
const MAGIC: [u8; 8] = *b"drystone";

/// Version of what follows. A snapshot of another version is refused.
const VERSION: u32 = 1;

/// Bytes before the payload: magic, version, length, checksum.
const HEADER: usize = 8 + 4 + 8 + 8;

/// Why bytes are no snapshot of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The first bytes are not those of a snapshot.
    NotASnapshot,
    /// Written by another version of the format.
    Version {
        /// What the bytes say.
        found: u32,
        /// What this engine reads.
        expected: u32,
    },
    /// Bytes are missing at the end, or there are too many.
    Length {
        /// Bytes there should be.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The bytes are not those that were written.
    Checksum,
    /// The bytes do not describe a world at all.
    Malformed(String),
    /// The parts contradict each other, so no world can have written them.
    Inconsistent(&'static str),
    /// The operating system refused to start the worker threads.
    Threads(String),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => {
                f.write_str("these bytes are neither a drystone snapshot nor a recording")
            }
            Self::Version { found, expected } => write!(
                f,
                "the snapshot or recording has version {found}, but this engine reads version {expected}: \
                 write it again with this engine"
            ),
            Self::Length { expected, found } => write!(
                f,
                "the snapshot or recording should have {expected} bytes but has {found}: it is cut off or mixed up"
            ),
            Self::Checksum => {
                f.write_str("the snapshot or recording is damaged: its checksum differs")
            }
            Self::Malformed(reason) => {
                write!(f, "the snapshot or recording cannot be read: {reason}")
            }
            Self::Inconsistent(what) => {
                write!(f, "the snapshot or recording contradicts itself: {what}")
            }
            Self::Threads(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for SnapshotError {}

impl World {
    /// The whole world as bytes, for [`World::restore`], in this process or another.
    ///
    /// Only what cannot be computed again is stored; shapes that bodies share are stored
    /// once. For a copy in memory, [`Clone`] is quicker.
    pub fn snapshot(&self) -> Vec<u8> {
        seal(MAGIC, &Stored::of(self))
    }

    /// The world that [`World::snapshot`] wrote. It goes on bit for bit as that one would
    /// have, with the same keys, events included.
    ///
    /// It has as many worker threads as the other had, and the instruction set if this
    /// machine has it, else the best there is; neither changes results.
    pub fn restore(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let stored = open(bytes)?;
        // Before as many threads are started as the bytes ask for.
        check::settings(&stored.settings).map_err(load::refused)?;
        let workers = new_workers(stored.settings.threads)
            .map_err(|error| SnapshotError::Threads(error.to_string()))?;
        load::world(stored, workers)
    }

    /// [`World::restore`] in place of this world, whose worker threads go on. A recording of this
    /// world ends. On an error this world stays as it was.
    pub fn restore_from(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let mut stored = open(bytes)?;
        stored.settings.threads = self.settings.threads;
        stored.settings.simd = self.settings.simd;
        *self = load::world(stored, self.workers.clone())?;
        Ok(())
    }
}

fn open(bytes: &[u8]) -> Result<Stored, SnapshotError> {
    unseal(MAGIC, bytes)
}

/// Encodes data behind a header: what it is, version, length, checksum.
pub(crate) fn seal(magic: [u8; 8], data: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![0; HEADER];
    bytes = postcard::to_extend(data, bytes).expect("writing to memory cannot fail");
    let (header, payload) = bytes.split_at_mut(HEADER);
    header[..8].copy_from_slice(&magic);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..20].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    header[20..28].copy_from_slice(&checksum(payload).to_le_bytes());
    bytes
}

/// Checks the header and decodes the payload.
pub(crate) fn unseal<T: DeserializeOwned>(
    magic: [u8; 8],
    bytes: &[u8],
) -> Result<T, SnapshotError> {
    let known = bytes.len().min(magic.len());
    if bytes[..known] != magic[..known] {
        return Err(SnapshotError::NotASnapshot);
    }
    let found = bytes.len() as u64;
    let short = SnapshotError::Length {
        expected: HEADER as u64,
        found,
    };
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or(short)?;
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&header[at..at + 8]);
        u64::from_le_bytes(word)
    };
    let version = word(8) as u32;
    if version != VERSION {
        return Err(SnapshotError::Version {
            found: version,
            expected: VERSION,
        });
    }
    let expected = word(12).saturating_add(HEADER as u64);
    if expected != found {
        return Err(SnapshotError::Length { expected, found });
    }
    if checksum(payload) != word(20) {
        return Err(SnapshotError::Checksum);
    }
    let (data, rest) = postcard::take_from_bytes::<T>(payload)
        .map_err(|error| SnapshotError::Malformed(error.to_string()))?;
    if !rest.is_empty() {
        return Err(SnapshotError::Malformed("bytes are left over".to_owned()));
    }
    Ok(data)
}

/// Of the payload: every byte counts, and so does its place.
fn checksum(payload: &[u8]) -> u64 {
    let mut hash = Hash::default();
    hash.mix(payload.len() as u64);
    for chunk in payload.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash.mix(u64::from_le_bytes(word));
    }
    hash.finish()
}

/// The level asked for, or the best there is.
fn level_of(settings: &mut Settings) -> fearless_simd::Level {
    match resolve_level(settings) {
        Ok(level) => level,
        Err(_) => {
            settings.simd = crate::SimdLevel::Auto;
            resolve_level(settings).unwrap_or_else(|_| fearless_simd::Level::fallback())
        }
    }
}

/// What [`load`] works with.
type Checked<T> = Result<T, SnapshotError>;

/// Passes what holds.
fn ensure(holds: bool, otherwise: &'static str) -> Checked<()> {
    if holds {
        Ok(())
    } else {
        Err(SnapshotError::Inconsistent(otherwise))
    }
}

/// Threads as a world of these settings has them, for the parts of this module.
type Threads = Workers;
