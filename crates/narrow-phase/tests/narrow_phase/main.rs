//! Queries and contacts against independent oracles.

mod carriers;
mod cases;
mod casts;
mod certificate;
mod curved;
mod curved_tracking;
mod degenerate;
mod guards;
mod lines;
mod manifolds;
mod meeting;
mod mesh_solids;
mod meshes;
mod needles;
mod oracle;
mod patches;
mod queries;
mod random;
mod rays;
mod slivers;
mod steady;
mod sweeps;
mod traces;
mod tracking;
mod walking;
mod witnesses;
