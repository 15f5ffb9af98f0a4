//! Moving boxes and rays: drystone's broad phase, Box3D's dynamic tree and Parry's BVH, which
//! take turns over the same boxes.
//!
//! A frame moves every chosen box out of its fat box and brings the pairs up to date: all
//! three know their pairs from frame to frame and tell which began and which ended. drystone
//! answers with sorted arrays. The peers' trees are run as their own engines run them: leaves
//! enlarged, the tree rebuilt or optimised and refitted, every overlap of a moved box looked
//! up in a hash set of known pairs, and the known pairs of moved boxes tested for their end;
//! their lists are not sorted. Margins are those of the engines, so the numbers of pairs
//! differ a little: the second table has them, and every engine's set is compared with the
//! pairs that a plain sweep finds among its own fat boxes. A ray asks for the first fat box,
//! or for all, a region for all that touch it. Nothing moves meanwhile, and the fastest round
//! counts, so drystone answers from the tree that it builds for many queries between changes.
//! A load enters all boxes as static ones: drystone's in bulk, the peers' one by one
//! as their engines do; the third table has the bytes that are held then, without pairs.

mod box3d_tree;
mod pair_set;
mod trio;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use drystone_benches::boxes::{Crowd, SCENES};

use box3d_tree::Box3dTree;
use trio::{Frames, Threads, Trio, load};

/// Rounds in which all load a crowd, at most.
const LOADS: usize = 5;

/// Options of `broad`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Numbers of boxes.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    boxes: Vec<usize>,
    /// Crowds: volume, terrain, line, clustered, `size_ratio`.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "volume,terrain,clustered"
    )]
    crowds: Vec<String>,
    /// One box in so many moves.
    #[arg(long, value_delimiter = ',', default_value = "1,10,100")]
    every: Vec<usize>,
    /// Lengths of rays, in metres.
    #[arg(long, value_delimiter = ',', default_value = "10,1000")]
    rays: Vec<f64>,
    /// Edges of cubic regions, in metres.
    #[arg(long, value_delimiter = ',', default_value = "1,5")]
    regions: Vec<f64>,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Rounds in which the engines take turns; the fastest round counts.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
}

/// Runs all combinations and prints three tables.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let mut times = table(&[
        "crowd",
        "boxes",
        "work",
        "drystone ns",
        "Box3D ns",
        "Parry ns",
        "Box3D / ours",
        "Parry / ours",
    ]);
    let mut pairs = table(&[
        "crowd",
        "boxes",
        "work",
        "pairs: drystone",
        "Box3D",
        "Parry",
        "began + ended: drystone",
        "Box3D",
        "Parry",
        "dropped by Box3D",
    ]);
    let mut memory = table(&["crowd", "boxes", "bytes a box: drystone", "Box3D"]);
    let threads: Vec<Threads> = (options.threads.iter())
        .map(|&count| Threads::new(count))
        .collect::<Result<_, _>>()?;
    for name in &options.crowds {
        if !SCENES.contains(&name.as_str()) {
            return Err(format!("`{name}` is none of {}", SCENES.join(", ")));
        }
        for &count in &options.boxes {
            eprintln!("{name} {count}");
            let crowd = Crowd::new(name, count);
            let first = |work: &str| vec![name.clone(), count.to_string(), work.to_owned()];
            let loaded = load(&crowd, options.rounds.min(LOADS));
            times.add_row([first("load at rest"), figures(loaded.best)].concat());
            let bytes = loaded.bytes.map(|bytes| bytes.to_string());
            memory.add_row([vec![name.clone(), count.to_string()], bytes.to_vec()].concat());
            let mut trio = Trio::new(&crowd);
            for &every in &options.every {
                for threads in &threads {
                    let work = format!("1/{every} move, {} threads", threads.count);
                    let frames = trio.frames(&crowd, every, options.rounds, threads);
                    check(&work, &trio, &frames)?;
                    times.add_row([first(&work), figures(frames.best)].concat());
                    let moved = count.div_ceil(every);
                    pairs.add_row([first(&work), counts(&frames, moved)].concat());
                }
            }
            for &length in &options.rays {
                for (all, what) in [(false, "first"), (true, "all")] {
                    let best = trio.rays(&crowd, length, all, options.rounds);
                    let work = format!("{what} hit of rays of {length} m");
                    times.add_row([first(&work), figures(best)].concat());
                }
            }
            for &edge in &options.regions {
                let best = trio.regions(&crowd, edge, options.rounds);
                let work = format!("all in a region of {edge} m");
                times.add_row([first(&work), figures(best)].concat());
            }
        }
    }
    for column in times
        .column_iter_mut()
        .chain(pairs.column_iter_mut())
        .chain(memory.column_iter_mut())
        .skip(3)
    {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{times}\n\n{pairs}\n\n{memory}");
    Ok(())
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.to_vec());
    table
}

/// Nanoseconds of each engine, and ratios.
fn figures(best: [f64; 3]) -> Vec<String> {
    let ratios = [best[1] / best[0], best[2] / best[0]].map(|r| format!("{r:.2}"));
    let times = best.map(|ns| format!("{ns:.0}"));
    [times.as_slice(), &ratios].concat()
}

fn counts(frames: &Frames, moved: usize) -> Vec<String> {
    let known = frames.counts.map(|c| c.known.to_string());
    let changed = frames.counts.map(|c| format!("{} + {}", c.began, c.ended));
    let dropped = Box3dTree::dropped(frames.counts[1].began, moved).to_string();
    [known.as_slice(), &changed, &[dropped]].concat()
}

/// Every engine must know exactly the pairs of its own fat boxes.
fn check(work: &str, trio: &Trio, frames: &Frames) -> Result<(), String> {
    let engines = ["drystone", "Box3D", "Parry"];
    for ((engine, counts), touching) in engines.iter().zip(frames.counts).zip(trio.touching()) {
        if counts.known != touching {
            let known = counts.known;
            return Err(format!(
                "{work}: {engine} knows {known} pairs of {touching}"
            ));
        }
    }
    Ok(())
}
