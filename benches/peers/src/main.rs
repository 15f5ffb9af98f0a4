//! drystone beside the engines people would pick instead, in one run.
//!
//! Building takes what Box3D takes: a C compiler, cmake and libclang
//! (`apt-get install cmake libclang-dev`). Run it from the root of the repository:
//!
//! ```sh
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- scenes
//! ```

mod broad;
mod pairs;
mod planar;
mod scenes;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// drystone beside Box3D, Rapier and Parry, interleaved in one run.
#[derive(Debug, Parser)]
#[command(name = "peers", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Whole scenes: milliseconds a step, and the quality of what comes out.
    Scenes(scenes::Options),
    /// Crowds of moving boxes, and rays: nanoseconds a box and a ray.
    Broad(broad::Options),
    /// Pairs of hulls in motion: nanoseconds a query, and errors.
    Pairs(pairs::Options),
    /// Convex polygons of the plane: nanoseconds a query.
    Planar(planar::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Scenes(options) => scenes::run(options),
        Command::Broad(options) => broad::run(options),
        Command::Pairs(options) => pairs::run(options),
        Command::Planar(options) => {
            planar::run(options);
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
