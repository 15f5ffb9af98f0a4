//! Vectors and rotations between Bevy's glam and the engine's.

use bevy_math as bevy;
use drystone::glam as engine;

/// The engine's vector or rotation as Bevy's.
pub fn to_bevy<T: Twin>(value: T) -> T::Other {
    value.convert()
}

/// Bevy's vector or rotation as the engine's.
pub fn to_drystone<T: Twin>(value: T) -> T::Other {
    value.convert()
}

/// A type of one glam that has its like in the other.
pub trait Twin {
    /// The like.
    type Other;

    /// The same components.
    fn convert(self) -> Self::Other;
}

macro_rules! twins {
    ($($name:ident)*) => {$(
        impl Twin for bevy::$name {
            type Other = engine::$name;

            fn convert(self) -> Self::Other {
                engine::$name::from_array(self.to_array())
            }
        }

        impl Twin for engine::$name {
            type Other = bevy::$name;

            fn convert(self) -> Self::Other {
                bevy::$name::from_array(self.to_array())
            }
        }
    )*};
}

twins!(Vec3 DVec3 Quat);
