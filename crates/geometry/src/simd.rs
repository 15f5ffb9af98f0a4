//! The instruction set kernels run on: chosen at run time, or forced.
//!
//! Every kernel is written once, generic over [`fearless_simd::Simd`], and compiled for
//! each level; [`SimdLevel::resolve`] picks the level once and `dispatch!` jumps to the
//! copy. All levels give the same bits, so the choice is about speed alone and forcing a
//! level is a tool for tests and benches.
//!
//! The scalar level is compiled in on every target (`force_support_fallback`), although
//! x86-64 and AArch64 never need it: it is what a target without vectors runs, so it is
//! the one independent witness that vector and scalar code agree. Its price is one more
//! copy of each kernel in the binary.

use std::fmt;
use std::str::FromStr;

use fearless_simd::Level;
use serde::{Deserialize, Serialize};

/// An instruction set for the 8-lane kernels.
///
/// Written in lower case without dots on the command line (`avx2`), by variant name in
/// scene files (`Avx2`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum SimdLevel {
    /// The best level this machine has.
    #[default]
    Auto,
    /// No vector instructions are asked for; the compiler may still use the build's own.
    Fallback,
    /// x86 with SSE2, the baseline of x86-64.
    Sse2,
    /// x86 with SSE4.2 (x86-64-v2).
    Sse42,
    /// x86 with AVX2 (x86-64-v3).
    Avx2,
    /// x86 with the AVX-512 set of Ice Lake and Zen 4; lanes stay 256 bits wide.
    Avx512,
    /// 64-bit ARM with NEON.
    Neon,
    /// WebAssembly with 128-bit vectors, a property of the build.
    Simd128,
}

/// Why a [`SimdLevel`] cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SimdError {
    /// The name is not one of a level.
    Unknown {
        /// What was written.
        name: String,
    },
    /// This machine, or this kind of machine, does not have the level.
    Missing {
        /// The level asked for.
        level: SimdLevel,
        /// The best level there is.
        best: SimdLevel,
    },
}

impl SimdLevel {
    /// Every level, `Auto` first, then from slow to fast within a processor family.
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::Fallback,
        Self::Sse2,
        Self::Sse42,
        Self::Avx2,
        Self::Avx512,
        Self::Neon,
        Self::Simd128,
    ];

    /// The token that `dispatch!` takes for this level.
    ///
    /// A build for a newer processor (`-C target-cpu`) has no kernels below that
    /// processor's level: `dispatch!` then raises a lower level, except `Fallback`, to
    /// it. The bits stay the same.
    ///
    /// Fails with [`SimdError::Missing`] when this machine lacks the level.
    pub fn resolve(self) -> Result<Level, SimdError> {
        let best = Level::new();
        let level = match self {
            Self::Auto => Some(best),
            Self::Fallback => Some(Level::fallback()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse2 => best.as_sse2().map(Level::Sse2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => best.as_sse4_2().map(Level::Sse4_2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => best.as_avx2().map(Level::Avx2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => best.as_avx512().map(Level::Avx512),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => best.as_neon().map(Level::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => best.as_wasm_simd128().map(Level::WasmSimd128),
            #[allow(unreachable_patterns)]
            _ => None,
        };
        level.ok_or(SimdError::Missing {
            level: self,
            best: Self::of(best),
        })
    }

    /// The token for this level, or for the best one where this machine lacks it.
    #[inline]
    pub fn or_best(self) -> Level {
        match self {
            Self::Auto => Level::new(),
            _ => self.resolve().unwrap_or_else(|_| Level::new()),
        }
    }

    /// The level a token stands for; never `Auto`.
    pub fn of(level: Level) -> Self {
        match level {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2(_) => Self::Sse2,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse4_2(_) => Self::Sse42,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2(_) => Self::Avx2,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512(_) => Self::Avx512,
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => Self::Neon,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(_) => Self::Simd128,
            _ => Self::Fallback,
        }
    }

    /// The levels this machine has, slowest first, without `Auto`.
    pub fn available() -> Vec<Self> {
        let named = Self::ALL.into_iter().skip(1);
        named.filter(|level| level.resolve().is_ok()).collect()
    }

    /// Lower-case name, as `Display` writes and `FromStr` reads it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fallback => "fallback",
            Self::Sse2 => "sse2",
            Self::Sse42 => "sse42",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
            Self::Simd128 => "simd128",
        }
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SimdLevel {
    type Err = SimdError;

    /// Reads a name in any case; `sse4.2` and `sse4_2` are understood too.
    fn from_str(name: &str) -> Result<Self, SimdError> {
        let plain: String = name
            .chars()
            .filter(|c| !matches!(c, '.' | '_' | '-'))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        Self::ALL
            .into_iter()
            .find(|level| level.name() == plain)
            .ok_or_else(|| SimdError::Unknown {
                name: name.to_owned(),
            })
    }
}

impl fmt::Display for SimdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "`{name}` is not a SIMD level: use one of")?;
                for (index, level) in SimdLevel::ALL.into_iter().enumerate() {
                    let separator = if index == 0 { " " } else { ", " };
                    write!(f, "{separator}{level}")?;
                }
                Ok(())
            }
            Self::Missing { level, best } => write!(
                f,
                "this machine has no SIMD level {level}: use {best}, or auto for the best there is"
            ),
        }
    }
}

impl std::error::Error for SimdError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every level is written and read back by name; the names are the ones documented.
    #[test]
    fn every_level_reads_back_from_its_own_name() {
        for level in SimdLevel::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.to_string().to_uppercase().parse(), Ok(level));
        }
        assert_eq!("sse4.2".parse(), Ok(SimdLevel::Sse42));
        let error = "avx3".parse::<SimdLevel>().unwrap_err();
        assert!(error.to_string().contains("avx3"));
        assert!(error.to_string().contains("avx2"));
    }

    /// A level listed as available resolves to a token of that very level, `Auto` to the
    /// last of its family; a level of another processor family is refused by name.
    #[test]
    fn available_levels_resolve_to_themselves_and_foreign_ones_are_refused() {
        let available = SimdLevel::available();
        assert_eq!(available[0], SimdLevel::Fallback);
        for &level in &available {
            assert_eq!(level.resolve().map(SimdLevel::of), Ok(level));
        }
        assert_eq!(
            SimdLevel::Auto.resolve().map(SimdLevel::of).ok(),
            available.last().copied()
        );
        for level in SimdLevel::ALL.into_iter().skip(1) {
            if !available.contains(&level) {
                let error = level.resolve().unwrap_err();
                assert!(error.to_string().contains(level.name()), "{error}");
            }
        }
        if cfg!(target_arch = "x86_64") {
            assert!(available.contains(&SimdLevel::Sse2));
            assert!(!available.contains(&SimdLevel::Neon));
        }
    }
}
