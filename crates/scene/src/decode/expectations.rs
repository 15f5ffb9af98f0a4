//! Expectations; read last, since they name bodies and joints.

use drystone::BodyKind;

use super::{Name, Reader, open_variant};
use crate::diagnostic::{Sink, Sources, Span};
use crate::expand::Names;
use crate::expect::{Along, Bounds, Demand, EnergyPart, Expectation, JointReading, Quantity, When};
use crate::scene::{SceneBody, SceneJoint};
use crate::schema::EXPECTATION;
use crate::syntax::Value;

/// What expectations are read with.
pub(crate) struct Targets<'a> {
    pub(crate) sink: &'a Sink,
    pub(crate) bodies: &'a [SceneBody],
    pub(crate) names: &'a Names,
    pub(crate) joints: &'a [SceneJoint],
    pub(crate) joint_names: &'a Names,
    /// Whether a missing name may be the fault of something that could not be read.
    pub(crate) lost_names: bool,
    pub(crate) sources: &'a Sources,
}

/// Reads expectations. `duration` is how long the run lasts; when it is not given, the
/// last time that is named, or 10 s, is what comes back with them.
pub(crate) fn expectations(
    values: &[&Value<'_>],
    targets: &Targets<'_>,
    duration: Option<f64>,
) -> (Vec<Expectation>, f64) {
    let read = values.iter().filter_map(|value| {
        let reader = open_variant(&EXPECTATION, value, targets.sink)?;
        targets.read(&reader)
    });
    let mut read: Vec<(Expectation, Window, Span)> = read.collect();
    let times = read
        .iter()
        .filter_map(|(_, window, _)| window.to.or(window.from));
    let named = times.fold(0.0, f64::max);
    let end = duration.unwrap_or(if named > 0.0 { named } else { DEFAULT_DURATION });
    for (expectation, window, span) in &mut read {
        expectation.from = window.from.unwrap_or(end);
        expectation.to = window.to.unwrap_or(end);
        let last = expectation.to.max(expectation.from);
        if last > end {
            let message = format!("this is judged at {last} s, but the run ends at {end} s");
            let help = "raise `duration`, or remove it";
            targets.sink.error(*span, "out-of-range", message, help);
        } else if expectation.to < expectation.from {
            let message = format!("it ends at {} s, before it begins", expectation.to);
            let help = "exchange `from` and `to`";
            targets.sink.error(*span, "out-of-range", message, help);
        }
    }
    (
        read.into_iter()
            .map(|(expectation, _, _)| expectation)
            .collect(),
        end,
    )
}

/// How long a run lasts when nothing says so, in seconds.
const DEFAULT_DURATION: f64 = 10.0;

/// From when to when something is judged; where nothing is said, the end of the run.
struct Window {
    reference: f64,
    from: Option<f64>,
    to: Option<f64>,
}

impl Window {
    fn since(from: f64, to: Option<f64>) -> Self {
        Self {
            reference: from,
            from: Some(from),
            to,
        }
    }

    fn at(reference: f64, at: Option<f64>) -> Self {
        Self {
            reference,
            from: at,
            to: at,
        }
    }
}

impl Targets<'_> {
    fn read(&self, reader: &Reader<'_, '_>) -> Option<(Expectation, Window, Span)> {
        let before = self.sink.count();
        let negated = reader.variant_name() == "Not";
        let (demand, window) = if negated {
            self.negated(reader)?
        } else {
            self.demand(reader)?
        };
        reader.finish();
        if self.sink.count() > before {
            return None;
        }
        let span = reader.span;
        let text = &self.sources.text(span.file)[span.start as usize..span.end as usize];
        let above = &self.sources.text(span.file)[..span.start as usize];
        let file = self.sources.files.get(span.file as usize);
        let expectation = Expectation {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            file: file.map(|(name, _)| name.clone()).unwrap_or_default(),
            line: above.matches('\n').count() + 1,
            demand,
            negated,
            reference: window.reference,
            from: 0.0,
            to: 0.0,
        };
        Some((expectation, window, span))
    }

    /// The demand inside a `Not`.
    fn negated(&self, reader: &Reader<'_, '_>) -> Option<(Demand, Window)> {
        let inner = reader.variant("expect")?;
        if inner.variant_name() == "Not" {
            let help = "write the inner expectation alone";
            let message = "`Not` in `Not` says what its content says";
            self.sink.error(inner.span, "conflict", message, help);
            return None;
        }
        let read = self.demand(&inner);
        inner.finish();
        read
    }

    fn demand(&self, reader: &Reader<'_, '_>) -> Option<(Demand, Window)> {
        Some(match reader.variant_name() {
            "Rests" => {
                let bounds = Bounds {
                    at_least: None,
                    at_most: Some(reader.number("speed")),
                };
                let window = Window::since(reader.number("by"), reader.optional("to"));
                (
                    self.each(reader, Quantity::Speed, bounds, When::Always),
                    window,
                )
            }
            "Stays" => {
                let bounds = Bounds {
                    at_least: None,
                    at_most: Some(reader.number("within")),
                };
                let quantity = Quantity::Displacement(along(reader));
                let window = Window::since(reader.number("from"), reader.optional("to"));
                (self.each(reader, quantity, bounds, When::Always), window)
            }
            "Moves" => {
                let quantity = Quantity::Displacement(along(reader));
                let demand = self.each(reader, quantity, bounds(reader), When::Always);
                let (reference, at) = (reader.number("from"), reader.optional("at"));
                (demand, Window::at(reference, at))
            }
            "Falls" => {
                let bounds = Bounds {
                    at_least: Some(reader.number("by_more_than")),
                    at_most: None,
                };
                let window = Window::since(0.0, reader.optional("before"));
                (
                    self.each(reader, Quantity::Drop, bounds, When::Once),
                    window,
                )
            }
            "Near" => {
                let bounds = Bounds {
                    at_least: None,
                    at_most: Some(reader.number("within")),
                };
                let quantity = Quantity::DistanceTo(reader.vector("point"));
                (
                    self.each(reader, quantity, bounds, When::Always),
                    window(reader),
                )
            }
            "AsleepBy" => {
                let window = Window::since(reader.number("by"), reader.optional("to"));
                (
                    Demand::Asleep {
                        bodies: self.select(reader),
                    },
                    window,
                )
            }
            _ => return self.measured(reader).or_else(|| self.global(reader)),
        })
    }

    /// Demands that bound a quantity of each body, always in the same form.
    fn measured(&self, reader: &Reader<'_, '_>) -> Option<(Demand, Window)> {
        let quantity = match reader.variant_name() {
            "Height" => Quantity::Height,
            "Speed" => Quantity::Speed,
            "Spin" => Quantity::Spin,
            "Tilt" => Quantity::Tilt(reader.direction("axis")),
            "Turned" => Quantity::Turned,
            "Coordinate" => Quantity::Coordinate(reader.direction("along")),
            "Velocity" => Quantity::Velocity(reader.direction("along")),
            "AngularMomentum" => match reader.choice("of") {
                "Direction" => Quantity::MomentumTurned,
                _ => Quantity::MomentumKept,
            },
            _ => return None,
        };
        let demand = self.each(reader, quantity, bounds(reader), When::Always);
        Some((demand, window(reader)))
    }

    /// Demands on the whole scene, or on several bodies at once.
    fn global(&self, reader: &Reader<'_, '_>) -> Option<(Demand, Window)> {
        Some(match reader.variant_name() {
            "CountInside" => {
                let (min, max) = (reader.vector("min"), reader.vector("max"));
                let bodies = self.select(reader);
                (
                    Demand::Count {
                        bodies,
                        min,
                        max,
                        bounds: bounds(reader),
                    },
                    window(reader),
                )
            }
            "Energy" => {
                let part = match reader.choice("of") {
                    "Kinetic" => EnergyPart::Kinetic,
                    "Potential" => EnergyPart::Potential,
                    _ => EnergyPart::Total,
                };
                let relative = reader.flag("relative");
                (
                    Demand::Energy {
                        part,
                        relative,
                        bounds: bounds(reader),
                    },
                    window(reader),
                )
            }
            "Momentum" => {
                let bounds = bounds(reader);
                (Demand::Momentum { bounds }, window(reader))
            }
            "EnergyNeverRises" => {
                let window = Window::since(reader.number("from"), reader.optional("to"));
                (
                    Demand::EnergyNeverRises {
                        by: reader.number("by"),
                    },
                    window,
                )
            }
            "Penetration" => (
                Demand::Penetration {
                    at_most: reader.number("at_most"),
                },
                window(reader),
            ),
            _ => return self.on_joints(reader),
        })
    }

    /// Demands on joints.
    fn on_joints(&self, reader: &Reader<'_, '_>) -> Option<(Demand, Window)> {
        Some(match reader.variant_name() {
            "JointGap" => {
                let at_most = reader.number("at_most");
                (
                    Demand::JointGap {
                        joints: self.joints(reader),
                        at_most,
                    },
                    window(reader),
                )
            }
            "JointReading" => {
                let reading = match reader.choice("of") {
                    "Angle" => JointReading::Angle,
                    "Place" => JointReading::Place,
                    "Spin" => JointReading::Spin,
                    "Speed" => JointReading::Speed,
                    "Force" => JointReading::Force,
                    "Torque" => JointReading::Torque,
                    _ => JointReading::Steering,
                };
                (
                    Demand::JointReading {
                        joints: self.joints(reader),
                        reading,
                        bounds: bounds(reader),
                    },
                    window(reader),
                )
            }
            "JointHolds" => (
                Demand::JointHolds {
                    joints: self.joints(reader),
                },
                window(reader),
            ),
            _ => return self.concluded(reader),
        })
    }

    /// Demands that are judged at the end, or once.
    fn concluded(&self, reader: &Reader<'_, '_>) -> Option<(Demand, Window)> {
        Some(match reader.variant_name() {
            "ContactForce" => {
                let window = Window::since(reader.number("from"), reader.optional("to"));
                let (newtons, within) = (reader.number("newtons"), reader.number("within"));
                (
                    Demand::ContactForce {
                        bodies: self.select(reader),
                        newtons,
                        within,
                    },
                    window,
                )
            }
            "Flips" => {
                let demand = Demand::Flips {
                    bodies: self.select(reader),
                    axis: reader.direction("axis"),
                    count: reader.whole("count") as usize,
                    every: reader.number("every"),
                    within: reader.number("within"),
                };
                (demand, Window::since(0.0, None))
            }
            "InOrder" => {
                let (bodies, degrees) = (self.select(reader), reader.number("degrees"));
                (
                    Demand::InOrder { bodies, degrees },
                    Window::since(0.0, None),
                )
            }
            _ => (
                Demand::Hash(hash(reader)?),
                Window::at(0.0, reader.optional("at")),
            ),
        })
    }

    fn each(
        &self,
        reader: &Reader<'_, '_>,
        quantity: Quantity,
        bounds: Bounds,
        when: When,
    ) -> Demand {
        Demand::Each {
            quantity,
            bodies: self.select(reader),
            bounds,
            when,
        }
    }

    /// The bodies of the field `body`; none is an error.
    fn select(&self, reader: &Reader<'_, '_>) -> Vec<usize> {
        let Some(name) = reader.text("body") else {
            return Vec::new();
        };
        if name.text == "all" {
            let is_dynamic = |index: &usize| self.bodies[*index].def.kind == BodyKind::Dynamic;
            return (0..self.bodies.len()).filter(is_dynamic).collect();
        }
        let found = self.names.all(&name.text);
        if found.is_empty() {
            self.report_missing("body", self.names, &name);
        }
        found
    }

    fn joints(&self, reader: &Reader<'_, '_>) -> Vec<usize> {
        let Some(name) = reader.text("joint") else {
            return Vec::new();
        };
        if name.text == "all" {
            return (0..self.joints.len()).collect();
        }
        let found = self.joint_names.all(&name.text);
        if found.is_empty() {
            self.report_missing("joint", self.joint_names, &name);
        }
        found
    }

    fn report_missing(&self, what: &str, names: &Names, name: &Name) {
        // When something could not be read, the scene is refused anyway.
        if !self.lost_names {
            let message = format!("there is no {what} or pattern called `{}`", name.text);
            let help = names.suggest(&name.text, what, self.sink);
            self.sink.error(name.span, "unknown-name", message, help);
        }
    }
}

fn along(reader: &Reader<'_, '_>) -> Along {
    match reader.choice("along") {
        "Horizontal" => Along::Horizontal,
        "Vertical" => Along::Vertical,
        _ => Along::Space,
    }
}

fn bounds(reader: &Reader<'_, '_>) -> Bounds {
    let bounds = Bounds {
        at_least: reader.optional("at_least"),
        at_most: reader.optional("at_most"),
    };
    if !reader.has("at_least") && !reader.has("at_most") {
        let span = Span {
            end: reader.span.start + reader.variant_name().len() as u32,
            ..reader.span
        };
        let message = "this demands nothing";
        let help = "add `at_least`, `at_most` or both";
        reader.sink.error(span, "missing-field", message, help);
    }
    if let (Some(low), Some(high)) = (bounds.at_least, bounds.at_most)
        && low > high
    {
        let message = format!("`at_least` is {low}, more than `at_most`, {high}");
        let help = "exchange them";
        reader
            .sink
            .error(reader.place_of("at_least"), "conflict", message, help);
    }
    bounds
}

/// `at`, or `from` and `to`. `from` beside `at` says since when displacements count.
fn window(reader: &Reader<'_, '_>) -> Window {
    let (at, from, to) = (
        reader.optional("at"),
        reader.number("from"),
        reader.optional("to"),
    );
    if at.is_some() && reader.has("to") {
        let message = "`to` has no meaning beside `at`";
        reader
            .sink
            .error(reader.place_of("to"), "conflict", message, "keep one");
    }
    Window {
        reference: from,
        from: at.or(Some(from)),
        to: at.or(to),
    }
}

fn hash(reader: &Reader<'_, '_>) -> Option<u64> {
    let text = reader.text("is")?;
    let digits = text.text.trim_start_matches("0x");
    let read = u64::from_str_radix(digits, 16)
        .ok()
        .filter(|_| digits.len() == 16);
    if read.is_none() {
        let message = format!("`{}` is not a hash", text.text);
        let help = "a hash is 16 hexadecimal digits";
        reader.sink.error(text.span, "out-of-range", message, help);
    }
    read
}
