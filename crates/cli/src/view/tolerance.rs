//! Tuning of recordings: how finely they are stored.

/// Largest step of stored positions, as a ratio of the smallest moving body's extent: less
/// than a pixel unless that body fills the window.
pub(crate) const POSITION_STEP_TO_EXTENT: f64 = 1.0 / 1024.0;

/// Finest step of stored positions, as a ratio of the whole scene's size: numbers stay within
/// 30 bits however small the smallest body is.
pub(crate) const POSITION_STEP_TO_SCENE: f64 = 1.0 / 536_870_912.0;

/// Coarsest step of stored positions, as a ratio of the whole scene's size, so that a scene
/// of large bodies alone moves as smoothly as any other.
pub(crate) const COARSEST_STEP_TO_SCENE: f64 = 1.0 / 65_536.0;

/// Stored steps of a quaternion's component per unit: 0.03 degrees.
pub(crate) const ROTATION_STEPS: f32 = 2048.0;

/// Smallest stored speed, in m/s or rad/s. Stored speeds are logarithms above it.
pub(crate) const LEAST_SPEED: f64 = 0.004;

/// Stored steps of a speed, count per doubling: 6 % each.
pub(crate) const SPEED_STEPS: f64 = 12.0;

/// Change of a stored speed, count of steps, below which it is not stored again.
pub(crate) const SPEED_SLACK: u8 = 1;

/// Stored steps of a contact normal's component per unit: half a degree.
pub(crate) const NORMAL_STEPS: f32 = 127.0;

/// Change of a stored normal, count of steps, below which it is not stored again.
pub(crate) const NORMAL_SLACK: u32 = 3;

/// Step of stored contact points, a ratio of the step of positions.
pub(crate) const POINT_STEP_TO_STEP: f64 = 8.0;

/// Change of a contact point in the frame of its body, count of its steps, below which it is
/// not stored again.
pub(crate) const POINT_SLACK: u32 = 1;

/// Smallest stored impulse, in newton seconds. Stored impulses are logarithms above it.
pub(crate) const LEAST_IMPULSE: f64 = 1e-4;

/// Stored steps of an impulse, count per doubling: 9 % each.
pub(crate) const IMPULSE_STEPS: f64 = 8.0;

/// Change of a stored impulse, count of steps, below which it is not stored again in a world
/// of more than [`EXACT_CONTACTS`].
pub(crate) const IMPULSE_SLACK: u8 = 3;

/// Contacts up to which impulses are stored as exactly as they can be, count.
pub(crate) const EXACT_CONTACTS: usize = 1000;

/// Contacts stored each frame, count. A world with more stores all of them every second,
/// third, ... frame, so that a large world's recording is not all contacts.
pub(crate) const CONTACTS_PER_FRAME: u32 = 4000;

/// Time between key frames, in seconds of the scene.
pub(crate) const KEY_FRAME_SECONDS: f64 = 1.0;

/// How fast a held body follows the pointer, per second.
pub(crate) const GRIP_RATE: f32 = 12.0;

/// Largest acceleration of a held body, in m/s per second.
pub(crate) const GRIP_ACCELERATION: f32 = 400.0;
