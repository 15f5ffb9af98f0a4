// The page: reads the recording or the stream, plays it, and answers to the person.
const element = (id) => document.getElementById(id);
const FRAME_MEMORY = 192 * 1024 * 1024;

class Page {
  constructor() {
    this.tape = new Tape();
    this.renderer = new Renderer(element('view'));
    this.view = new SceneView(this.tape, this.renderer);
    this.overlay = new Overlay(this.view);
    this.timeline = new Timeline(element('plots'), this.tape);
    this.camera = new Camera();
    this.cursor = 0;
    this.speed = 1;
    this.playing = false;
    this.chosen = -1;
    this.isDirty = true;
    this.rate = 0;
    this.pictures = 0;
    this.errors = [];
    this.live = null;
    this.isFitted = false;
    this.tick = this.tick.bind(this);
  }

  options() {
    const on = (id) => element(id).checked;
    return {
      colour: element('colour').value, contacts: on('contacts'), joints: on('joints'), boxes: on('boxes'),
      walls: on('walls'), sleep: on('sleep'), edges: on('edges'), shadows: on('shadows'), chosen: this.chosen, size: this.camera.size,
    };
  }

  get last() {
    return Math.max(this.tape.frames.length - 1, 0);
  }

  // Seconds between two frames.
  get spacing() {
    const { frames, scene } = this.tape;
    if (frames.length < 2) return scene.dt;
    return (frames[this.last].time - frames[0].time) / this.last || scene.dt;
  }

  seek(cursor) {
    this.cursor = Math.min(Math.max(cursor, 0), this.last);
    this.isDirty = true;
  }

  setPlaying(playing) {
    this.playing = playing;
    if (this.live) this.live.send(playing ? 'play' : 'pause');
    else if (playing && this.cursor >= this.last) this.cursor = 0;
    element('play').classList.toggle('playing', playing);
    element('play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.isDirty = true;
  }

  stepBy(count) {
    if (this.playing) this.setPlaying(false);
    if (this.live && count > 0 && this.cursor >= this.last) this.live.send('step');
    else this.seek((count > 0 ? Math.floor(this.cursor) : Math.ceil(this.cursor)) + count);
  }

  // Frames arrived: follow them unless the person looks at an earlier one.
  arrived() {
    const { tape } = this;
    const follows = this.cursor >= this.known || this.playing;
    const cut = tape.trim(FRAME_MEMORY);
    this.cursor = follows ? this.last : Math.max(this.cursor - cut, 0);
    this.known = this.last;
    this.isDirty = true;
  }

  fit(whole) {
    const { low, high } = whole ? this.view.reach() : this.view.bounds();
    const { canvas } = this.renderer;
    this.camera.fit(low, high, canvas.width / canvas.height);
    this.isDirty = true;
  }

  tick(now) {
    requestAnimationFrame(this.tick);
    const seconds = Math.min((now - (this.now || now)) / 1000, 0.25);
    this.now = now;
    if (this.renderer.resize()) this.isDirty = true;
    if (!this.tape.frames.length) return;
    if (this.playing && !this.live) {
      this.cursor += seconds * this.speed / this.spacing;
      if (this.cursor >= this.last) {
        this.cursor = this.last;
        this.setPlaying(false);
      }
      this.isDirty = true;
    }
    if (this.isDirty) this.draw(now);
  }

  draw(now) {
    const { tape, view, renderer } = this;
    this.isDirty = false;
    const index = Math.ceil(this.cursor);
    tape.show(index);
    view.prepare();
    if (this.chosen >= tape.bodies.length) this.choose(-1);
    const options = this.options();
    options.largest = view.largest;
    view.fill(index > 0 ? this.cursor - (index - 1) : 1, options);
    if (!this.isFitted) {
      this.isFitted = true;
      this.fit(!this.live);
      options.size = this.camera.size;
      view.fill(1, options);
    }
    this.overlay.fill(options);
    renderer.draw(this.camera, view.planes, options);
    this.timeline.draw(this.cursor);
    const frame = tape.frames[index];
    element('scrub').max = this.last;
    element('scrub').value = this.cursor;
    element('time').textContent = `${frame.time.toFixed(3)} s, step ${frame.steps}`;
    element('figures').textContent = figures(tape, frame, this.rate);
    if (this.chosen >= 0) describe(element('info'), view, this.chosen);
    this.count(now);
  }

  // Pictures drawn per second, over the last one.
  count(now) {
    this.pictures++;
    this.counted = this.counted || now;
    if (now - this.counted < 1000) return;
    this.rate = this.playing ? this.pictures * 1000 / (now - this.counted) : 0;
    this.pictures = 0;
    this.counted = now;
  }

  choose(number) {
    this.chosen = number;
    element('info').hidden = number < 0;
    this.isDirty = true;
  }

  fail(error) {
    this.errors.push(String(error));
    element('message').textContent = String(error.message || error);
  }

  // For tests: what the page shows, in numbers.
  state() {
    const { tape, overlay, renderer } = this;
    const frame = tape.frames[Math.ceil(this.cursor)] || {};
    return {
      ready: tape.frames.length > 0 && renderer.drawn > 0, live: !!this.live, playing: this.playing,
      frame: this.cursor, frames: tape.frames.length, time: frame.time, bodies: tape.bodies.length,
      drawn: renderer.drawn, contacts: frame.touching, awake: frame.awake, points: overlay.points,
      joints: overlay.joints, kinetic: frame.kinetic, potential: frame.potential, chosen: this.chosen,
      rate: this.rate, bytes: tape.bytes, errors: this.errors, info: element('info').innerText,
    };
  }
}

class Hands {
  constructor(page) {
    this.page = page;
    const canvas = element('view');
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', (event) => this.up(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      page.camera.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) * 0.0015));
      page.isDirty = true;
    }, { passive: false });
    document.addEventListener('keydown', (event) => this.key(event));
    const click = (id, action) => element(id).addEventListener('click', action);
    click('play', () => page.setPlaying(!page.playing));
    click('first', () => page.seek(0));
    click('back', () => page.stepBy(-1));
    click('next', () => page.stepBy(1));
    click('fit', () => page.fit());
    click('reset', () => page.live.send('reset'));
    click('throw', () => this.throwBall());
    element('scrub').addEventListener('input', (event) => {
      if (page.playing) page.setPlaying(false);
      page.seek(Number(event.target.value));
    });
    element('speed').addEventListener('change', (event) => {
      page.speed = Number(event.target.value);
      if (page.live) page.live.send('speed', page.speed);
    });
    element('options').addEventListener('change', () => { page.isDirty = true; });
  }

  aspect() {
    const { canvas } = this.page.renderer;
    return canvas.width / canvas.height;
  }

  ray(event) {
    const canvas = element('view');
    const x = 2 * event.offsetX / canvas.clientWidth - 1;
    const y = 1 - 2 * event.offsetY / canvas.clientHeight;
    return this.page.camera.ray(x, y, this.aspect());
  }

  down(event) {
    const { page } = this;
    event.target.setPointerCapture(event.pointerId);
    element('view').focus();
    this.held = { x: event.offsetX, y: event.offsetY, moved: 0, pans: event.button !== 0 || event.shiftKey };
    if (!page.live || event.button !== 0 || event.shiftKey) return;
    const hit = page.renderer.pick(page.camera, event.offsetX, event.offsetY);
    page.isDirty = true;
    if (hit && page.tape.bodies[hit.body].k === 2) {
      this.held.forward = hit.forward;
      page.live.send('grab', hit.body, ...hit.point);
    }
  }

  move(event) {
    const { held, page } = this;
    if (!held) return;
    const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
    held.moved += Math.abs(dx) + Math.abs(dy);
    held.x = event.offsetX;
    held.y = event.offsetY;
    if (held.forward) {
      const { from, direction } = this.ray(event);
      page.live.send('drag', ...add(from, scaled(direction, held.forward)));
    } else if (held.pans) page.camera.pan(dx, dy, element('view').clientHeight);
    else page.camera.orbit(dx, dy);
    page.isDirty = true;
  }

  up(event) {
    const { held, page } = this;
    this.held = null;
    if (!held) return;
    if (held.forward) page.live.send('drop');
    if (held.moved < 4 && event.type === 'pointerup' && event.button === 0) {
      const hit = page.renderer.pick(page.camera, event.offsetX, event.offsetY);
      page.choose(hit ? hit.body : -1);
    }
  }

  throwBall() {
    const { page } = this;
    const { camera, view, tape } = page;
    const radii = view.radii.filter((radius, i) => tape.bodies[i].k === 2 && radius > 0).sort((a, b) => a - b);
    const radius = radii.length ? 0.8 * radii[Math.floor(radii.length / 2)] : 0.05 * camera.size;
    const { back } = camera.axes();
    const from = add(camera.target, scaled(back, 0.8 * camera.distance));
    page.live.send('throw', ...from, ...scaled(back, -2 * camera.distance), radius);
  }

  key(event) {
    const { page } = this;
    if (event.ctrlKey || event.altKey || event.metaKey || /SELECT|BUTTON/.test(event.target.tagName)) return;
    const actions = {
      ' ': () => page.setPlaying(!page.playing),
      ArrowLeft: () => page.stepBy(-1),
      ArrowRight: () => page.stepBy(1),
      Home: () => page.seek(0),
      End: () => page.seek(page.last),
      f: () => page.fit(),
      c: () => element('contacts').click(),
      j: () => element('joints').click(),
      x: () => element('boxes').click(),
      b: () => page.live && this.throwBall(),
      r: () => page.live && page.live.send('reset'),
      Escape: () => page.choose(-1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

async function begin() {
  const page = new Page();
  window.drystone = {
    state: () => page.state(),
    coverage: () => { page.draw(performance.now()); return page.renderer.coverage(); },
    seek: (frame) => page.seek(frame),
    play: (playing) => page.setPlaying(playing),
    choose: (number) => page.choose(number),
    page,
  };
  window.addEventListener('error', (event) => page.fail(event.error || event.message));
  window.addEventListener('unhandledrejection', (event) => page.fail(event.reason));
  new Hands(page);
  requestAnimationFrame(page.tick);
  if (element('source').textContent === 'stream') {
    page.live = new Live(page.tape, () => page.arrived(), () => page.fail('The scene has ended. Run the command again to see more.'));
    page.playing = true;
    page.known = 0;
    element('reset').hidden = element('throw').hidden = false;
    element('message').textContent = '';
    page.setPlaying(true);
    page.live.listen();
  } else {
    page.tape.feed(new Uint8Array(await unpack('data').arrayBuffer()));
    element('data').remove();
    element('message').textContent = '';
    page.setPlaying(true);
  }
}

begin().catch((error) => { element('message').textContent = String(error.message || error); });
