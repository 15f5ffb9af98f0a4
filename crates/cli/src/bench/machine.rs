//! What figures depend on: processor, instruction set, version, profile.

use std::fs;

use drystone::SimdLevel;
use serde::{Deserialize, Serialize};

/// The circumstances of a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Name of the processor, or its architecture where the system does not say.
    pub(crate) cpu: String,
    /// Hardware threads.
    pub(crate) cores: u64,
    /// Operating system.
    pub(crate) os: String,
    /// Instruction set the kernels ran with.
    pub(crate) simd: String,
    /// Version of drystone.
    pub(crate) version: String,
    /// `release` or `debug`.
    pub(crate) profile: String,
}

impl Machine {
    /// This machine, with the kernels at `simd`.
    pub(crate) fn here(simd: SimdLevel) -> Self {
        let profile = if cfg!(debug_assertions) {
            "debug"
        } else {
            "release"
        };
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let simd = match simd.resolve() {
            Ok(level) => SimdLevel::of(level).to_string(),
            Err(_) => simd.to_string(),
        };
        Self {
            cpu: cpu(),
            cores,
            os: std::env::consts::OS.to_owned(),
            simd,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            profile: profile.to_owned(),
        }
    }
}

/// The processor's own name, on systems that show it in `/proc/cpuinfo`.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    match name.map(|rest| rest.trim_start_matches([' ', '\t', ':'])) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => std::env::consts::ARCH.to_owned(),
    }
}

/// Starts the count of [`peak_memory`] anew. Does nothing where the system cannot.
pub(crate) fn reset_peak_memory() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Most memory the process held since the last reset, in bytes; `None` where the system
/// does not say.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
