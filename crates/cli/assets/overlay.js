// Lines and dots over the bodies: contacts, joints, bounding boxes.
const JOINT = [0.55, 0.12, 0.55];
const NORMAL = [0.85, 0.15, 0.10];
const QUIET = [0.35, 0.38, 0.42];
const BOX = [0.15, 0.35, 0.60];

function stroke(batch, from, to, colour, width) {
  const at = batch.next();
  const f = batch.floats;
  f[at] = from[0]; f[at + 1] = from[1]; f[at + 2] = from[2];
  f[at + 3] = to[0]; f[at + 4] = to[1]; f[at + 5] = to[2];
  batch.words[at + 6] = colour;
  f[at + 7] = width;
}

class Overlay {
  constructor(view) {
    this.view = view;
    this.points = 0;
    this.joints = 0;
    this.largest = 0;
    this.at = [0, 0, 0];
    this.tip = [0, 0, 0];
  }

  fill(options) {
    const { renderer } = this.view;
    renderer.overlay.count = 0;
    renderer.frameLines.count = 0;
    this.points = 0;
    this.joints = 0;
    const pixel = renderer.canvas.width / Math.max(1, renderer.canvas.clientWidth);
    const contacts = options.contacts || options.colour === 'solver' || options.chosen >= 0;
    if (contacts) this.contacts(options, pixel);
    if (options.joints) this.jointLines(pixel);
    if (options.boxes) this.boxes(pixel);
  }

  // Normals towards the second body, as long as the impulse is large: its root, so that the
  // small ones can be seen beside the great.
  contacts(options, pixel) {
    const { tape, places, turns, renderer, radii } = this.view;
    const strong = packed(NORMAL), quiet = packed(QUIET);
    const all = options.contacts || options.colour === 'solver';
    let largest = 0;
    for (const contact of tape.contacts) {
      if (!contact) continue;
      for (let i = 0; i < contact.points.length; i++) largest = Math.max(largest, contact.impulses[i]);
    }
    // Eases, so that one hard hit does not make everything else jump.
    this.largest = Math.max(largest, 0.97 * this.largest);
    for (const contact of tape.contacts) {
      if (!contact) continue;
      const { a, b, onB, normal, points, impulses, colour } = contact;
      if (!all && a !== options.chosen && b !== options.chosen) continue;
      const body = onB ? b : a;
      const small = Math.min(radii[a] || radii[b], radii[b] || radii[a]);
      let paint = 0;
      for (let i = 0; i < points.length; i++) {
        const at = this.toWorld(places[body], turns[body], points[i]);
        const strength = this.largest > 0 ? Math.sqrt(impulses[i] / this.largest) : 0;
        if (options.colour === 'solver') paint = paint || (colour === 255 ? quiet : packed(hue(colour)));
        else paint = impulses[i] > 0 ? strong : quiet;
        stroke(renderer.overlay, at, at, paint, 5 * pixel);
        if (strength > 0) {
          const long = 1.6 * small * strength;
          for (let k = 0; k < 3; k++) this.tip[k] = at[k] + normal[k] * long;
          stroke(renderer.overlay, at, this.tip, paint, 2 * pixel);
        }
        this.points++;
      }
    }
  }

  // A point of a body in the world; the result is overwritten by the next call.
  toWorld(place, q, p) {
    const [x, y, z, w] = q;
    const tx = 2 * (y * p[2] - z * p[1]), ty = 2 * (z * p[0] - x * p[2]), tz = 2 * (x * p[1] - y * p[0]);
    this.at[0] = place[0] + p[0] + w * tx + y * tz - z * ty;
    this.at[1] = place[1] + p[1] + w * ty + z * tx - x * tz;
    this.at[2] = place[2] + p[2] + w * tz + x * ty - y * tx;
    return this.at;
  }

  jointLines(pixel) {
    const { tape, places, turns, renderer, radii } = this.view;
    const word = packed(JOINT);
    const light = packed(JOINT, 0.6);
    for (const { k, a, b, p, o, z } of tape.joints) {
      if (!(tape.after.flags[a] & tape.after.flags[b] & PRESENT)) continue;
      const onA = add(places[a], rotate(turns[a], p));
      const onB = add(places[b], rotate(turns[b], o));
      if (tape.bodies[a].k !== 0) stroke(renderer.overlay, places[a], onA, light, 1.5 * pixel);
      if (tape.bodies[b].k !== 0) stroke(renderer.overlay, places[b], onB, light, 1.5 * pixel);
      stroke(renderer.overlay, onA, onA, word, 7 * pixel);
      if (norm(sub(onA, onB)) > 1e-5) {
        stroke(renderer.overlay, onA, onB, word, 2.5 * pixel);
        stroke(renderer.overlay, onB, onB, word, 7 * pixel);
      }
      if (k === 'hinge') {
        const axis = scaled(rotate(turns[a], z), 0.6 * Math.min(radii[a] || radii[b], radii[b] || radii[a]));
        stroke(renderer.overlay, sub(onA, axis), add(onA, axis), word, 3.5 * pixel);
      }
      this.joints++;
    }
  }

  boxes(pixel) {
    const { tape, places, turns, renderer, parts } = this.view;
    const word = packed(BOX, 0.8);
    for (const part of parts) {
      const { number } = part;
      if (!(tape.after.flags[number] & PRESENT)) continue;
      const turn = part.turn ? turnProduct(turns[number], part.turn) : turns[number];
      const origin = part.at ? add(places[number], rotate(turns[number], part.at)) : places[number];
      const middle = add(origin, rotate(turn, part.middle));
      let half = [0, 0, 0];
      if (part.size[3] > 0 || part.batch.isRound) {
        // A capsule: its core's ends, and the radius.
        const core = rotate(turn, [0, part.size[3], 0]);
        half = core.map((x) => Math.abs(x) + part.size[0]);
      } else {
        for (let axis = 0; axis < 3; axis++) {
          const edge = [0, 0, 0];
          edge[axis] = part.half[axis];
          half = add(half, rotate(turn, edge).map(Math.abs));
        }
      }
      for (let axis = 0; axis < 3; axis++) {
        for (let corner = 0; corner < 4; corner++) {
          const from = [...middle], to = [...middle];
          from[axis] -= half[axis];
          to[axis] += half[axis];
          const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
          for (const end of [from, to]) {
            end[u] += corner & 1 ? half[u] : -half[u];
            end[v] += corner & 2 ? half[v] : -half[v];
          }
          stroke(renderer.frameLines, from, to, word, 1.2 * pixel);
        }
      }
    }
  }
}
