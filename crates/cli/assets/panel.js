// Text beside the scene: figures of the frame, and what is known of a selected body.
const RUNGS = ['skip', 'recycle', 'walk', 'hold', 'closed form', 'GJK', 'EPA'];

function nameOf(tape, number) {
  const { n, k } = tape.bodies[number];
  return n || `${['static', 'kinematic', 'dynamic'][k]} ${number}`;
}

function figures(tape, frame, rate) {
  const moving = tape.bodies.reduce((sum, body, i) => sum + (body.k === 2 && (tape.after.flags[i] & PRESENT)), 0);
  const lines = [
    `${moving} bodies, ${frame.awake} awake, ${frame.touching} contacts, ${frame.points} points`,
    `energy ${short(frame.kinetic)} J kinetic, ${short(frame.kinetic + frame.potential)} J total`,
  ];
  if (frame.cost > 0) lines.push(`step ${(frame.cost * 1e3).toFixed(2)} ms`);
  if (rate > 0) lines.push(`${rate.toFixed(0)} pictures per second`);
  return lines.join('\n');
}

// Speeds are stored to a few percent.
const rough = (speed) => (speed === 0 ? 'below 0.004' : speed.toPrecision(2));

function row(table, name, value) {
  const line = table.insertRow();
  const head = document.createElement('th');
  head.textContent = name;
  line.append(head);
  line.insertCell().textContent = value;
}

// Describes body `number` at the frame shown; returns the lines for its contacts.
function describe(element, view, number) {
  const { tape, places } = view;
  const { scene, after } = tape;
  element.replaceChildren();
  const title = document.createElement('h2');
  title.textContent = nameOf(tape, number);
  const table = document.createElement('table');
  element.append(title, table);
  const body = tape.bodies[number];
  const place = add(places[number], scene.origin);
  row(table, 'kind', ['static', 'kinematic', 'dynamic'][body.k] + ', ' + body.s.map((shape) => shape.k).join(' + '));
  if (body.m && body.k === 2) row(table, 'mass', `${short(body.m)} kg`);
  if (body.k !== 0) {
    row(table, 'speed', `${rough(after.speed[number])} m/s`);
    row(table, 'spin', `${rough(after.spin[number])} rad/s`);
    row(table, 'state', after.flags[number] & AWAKE ? 'awake' : 'asleep');
    if (after.island[number]) row(table, 'island', String(after.island[number] - 1));
  }
  row(table, 'position', place.map((x) => x.toFixed(3)).join(', ') + ' m');
  const touching = tape.contacts.filter((contact) => contact && (contact.a === number || contact.b === number));
  row(table, 'contacts', String(touching.length));
  for (const { a, b, points, impulses, rung } of touching.slice(0, 24)) {
    const sum = impulses.slice(0, points.length).reduce((x, y) => x + y, 0);
    const force = sum / scene.dt;
    row(table, nameOf(tape, a === number ? b : a), `${points.length} pt, ${RUNGS[rung]}, ${short(sum)} N s (${short(force)} N)`);
  }
  element.hidden = false;
  return touching.length;
}
