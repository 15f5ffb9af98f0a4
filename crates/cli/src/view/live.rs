//! A scene shown while it runs: paces the world, sends frames, obeys the page.

use std::fmt;
use std::io::{self, Write};
use std::net::TcpStream;
use std::process::{Command as Process, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use drystone_scene::{Instance, Scene, SceneErrors};

use super::command::{Command, Grip, throw};
use super::server::{self, Event};
use super::tape::Tape;
use super::{pack, page};

/// How long the scene waits for the page to come back, as it does after a reload.
const FAREWELL: Duration = Duration::from_secs(3);
/// Time between signs of life while nothing moves.
const PULSE: Duration = Duration::from_millis(400);
/// Least time between frames sent.
const FRAME: Duration = Duration::from_millis(16);
/// Most time a frame's steps may take; what is then still due is dropped.
const BUDGET: Duration = Duration::from_millis(100);

/// How to show a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Live {
    /// Whether contacts are shown.
    pub(crate) contacts: bool,
    /// Whether to open a browser, if there is one.
    pub(crate) open_browser: bool,
}

/// Why a scene cannot be shown.
#[derive(Debug)]
pub(crate) enum LiveError {
    /// The scene cannot be built.
    Scene(SceneErrors),
    /// The loopback address cannot be listened on.
    Io(io::Error),
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene(error) => error.fmt(f),
            Self::Io(error) => write!(f, "cannot serve the page on 127.0.0.1: {error}"),
        }
    }
}

impl std::error::Error for LiveError {}

/// Shows `scene` on a page of this machine until that page is closed.
///
/// `announce` is given the page's address before anything happens.
pub(crate) fn serve(
    scene: &Scene,
    title: &str,
    live: Live,
    announce: &mut dyn FnMut(&str),
) -> Result<(), LiveError> {
    let instance = scene.build().map_err(LiveError::Scene)?;
    let (sender, events) = channel();
    let address = server::start(page::live(title), sender).map_err(LiveError::Io)?;
    announce(&address);
    if live.open_browser {
        open(&address);
    }
    Show::new(scene, instance, title, live.contacts).run(&events);
    Ok(())
}

/// The state of a live scene.
struct Show<'a> {
    scene: &'a Scene,
    instance: Instance,
    title: &'a str,
    contacts: bool,
    tape: Tape,
    viewer: Option<TcpStream>,
    /// When the last viewer left.
    left: Option<Instant>,
    last_sent: Instant,
    last_tick: Instant,
    /// Seconds of the scene that are due.
    due: f64,
    speed: f64,
    playing: bool,
    steps_asked: u32,
    grip: Option<Grip>,
    must_send: bool,
}

impl<'a> Show<'a> {
    fn new(scene: &'a Scene, instance: Instance, title: &'a str, contacts: bool) -> Self {
        Self {
            tape: Tape::new(&instance.world, title, contacts),
            scene,
            instance,
            title,
            contacts,
            viewer: None,
            left: None,
            last_sent: Instant::now(),
            last_tick: Instant::now(),
            due: 0.0,
            speed: 1.0,
            playing: true,
            steps_asked: 0,
            grip: None,
            must_send: false,
        }
    }

    fn run(&mut self, events: &Receiver<Event>) {
        loop {
            let idle = FRAME.saturating_sub(self.last_sent.elapsed());
            match events.recv_timeout(idle.max(Duration::from_millis(1))) {
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(event) = events.try_recv() {
                self.handle(event);
            }
            if self.viewer.is_some() {
                if self.last_tick.elapsed() >= FRAME {
                    self.tick();
                }
            } else if self.left.is_some_and(|left| left.elapsed() > FAREWELL) {
                return;
            }
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Viewer(stream) => {
                self.viewer = Some(stream);
                self.left = None;
                self.last_tick = Instant::now();
                self.rewind_tape();
            }
            Event::Command(command) => self.obey(command),
        }
    }

    fn obey(&mut self, command: Command) {
        let world = &mut self.instance.world;
        match command {
            Command::Play => self.playing = true,
            Command::Pause => self.playing = false,
            Command::Step => {
                self.playing = false;
                self.steps_asked += 1;
            }
            Command::Speed(speed) => self.speed = speed,
            Command::Grab(number, point) => {
                self.grip = Grip::new(world, &self.tape, number, point);
            }
            Command::Drag(point) => {
                if let Some(grip) = &mut self.grip {
                    grip.target = self.tape.origin() + point;
                }
            }
            Command::Drop => self.grip = None,
            Command::Throw(from, velocity, radius) => {
                throw(world, self.tape.origin() + from, velocity, radius);
                self.must_send = true;
            }
            Command::Reset => {
                self.grip = None;
                if let Ok(instance) = self.scene.build() {
                    self.instance = instance;
                }
                self.rewind_tape();
            }
        }
    }

    /// Begins a new tape: the page forgets what it had.
    fn rewind_tape(&mut self) {
        self.tape = Tape::new(&self.instance.world, self.title, self.contacts);
        self.must_send = true;
    }

    /// Steps as far as is due and sends a frame.
    fn tick(&mut self) {
        let start = Instant::now();
        let elapsed = (start - self.last_tick).as_secs_f64().min(0.25);
        self.last_tick = start;
        let dt = f64::from(self.instance.world.settings().dt);
        if self.playing {
            self.due += elapsed * self.speed;
        }
        let mut steps = 0;
        while dt > 0.0 && (self.due >= dt || self.steps_asked > 0) {
            if self.steps_asked > 0 {
                self.steps_asked -= 1;
            } else {
                self.due -= dt;
            }
            if let Some(grip) = self.grip {
                grip.pull(&mut self.instance.world);
            }
            self.instance.step();
            steps += 1;
            if start.elapsed() > BUDGET {
                self.due = 0.0;
            }
        }
        if steps > 0 || self.must_send {
            self.must_send = false;
            self.send_frame();
        } else if self.last_sent.elapsed() > PULSE {
            let mut bytes = Vec::new();
            pack::put_chunk(&mut bytes, pack::PULSE, &[]);
            self.send(&bytes);
        }
    }

    fn send_frame(&mut self) {
        let mut bytes = Vec::new();
        let step_seconds = self.instance.world.stats().times.total.as_secs_f32();
        self.tape
            .frame(&self.instance.world, step_seconds, &mut |kind, payload| {
                pack::put_chunk(&mut bytes, kind, payload);
            });
        self.send(&bytes);
    }

    fn send(&mut self, bytes: &[u8]) {
        self.last_sent = Instant::now();
        let Some(viewer) = &mut self.viewer else {
            return;
        };
        if viewer.write_all(bytes).is_err() {
            self.viewer = None;
            self.left = Some(Instant::now());
            self.grip = None;
        }
    }
}

/// Opens `address` in a browser where there seems to be one; never fails.
fn open(address: &str) {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if has_screen {
        ("xdg-open", &[])
    } else {
        return;
    };
    // Without a browser the printed address still serves.
    let _ = Process::new(program)
        .args(arguments)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
