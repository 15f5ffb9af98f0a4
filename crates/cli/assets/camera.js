// A camera that circles a point.
class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.yaw = 0.6;
    this.pitch = 0.35;
    this.distance = 10;
    this.angle = 0.8;
    this.size = 10;
  }

  // Looks at a box from where it fills most of the window.
  fit(low, high, aspect) {
    this.target = scaled(add(low, high), 0.5);
    this.size = Math.max(norm(sub(high, low)) / 2, 1e-6);
    this.distance = 20 * this.size;
    const { right, up, back } = this.axes();
    const slope = Math.tan(this.angle / 2);
    for (let round = 0; round < 6; round++) {
      let fullness = 0.001;
      for (let corner = 0; corner < 8; corner++) {
        const at = sub([0, 1, 2].map((k) => (corner >> k & 1 ? high : low)[k]), this.target);
        const depth = (this.distance - dot(at, back)) * slope;
        fullness = Math.max(fullness, Math.abs(dot(at, right)) / (depth * aspect), Math.abs(dot(at, up)) / depth);
      }
      this.distance = Math.max(this.distance * fullness / 0.75, 1.05 * this.size);
    }
  }

  axes() {
    const [sy, cy, sp, cp] = [Math.sin(this.yaw), Math.cos(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch)];
    return { right: [cy, 0, -sy], up: [-sy * sp, cp, -cy * sp], back: [sy * cp, sp, cy * cp] };
  }

  eye() {
    return add(this.target, scaled(this.axes().back, this.distance));
  }

  orbit(dx, dy) {
    this.yaw -= dx * 0.006;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + dy * 0.006));
  }

  pan(dx, dy, height) {
    const { right, up } = this.axes();
    const metres = 2 * this.distance * Math.tan(this.angle / 2) / height;
    this.target = add(this.target, add(scaled(right, -dx * metres), scaled(up, dy * metres)));
  }

  zoom(factor) {
    this.distance = Math.min(1e3 * this.size, Math.max(1e-3 * this.size, this.distance * factor));
  }

  clip(aspect) {
    const { right, up, back } = this.axes();
    const far = this.distance + 40 * this.size;
    return matrixProduct(perspective(this.angle, aspect, this.distance * 0.02, far), seenFrom(this.eye(), right, up, back));
  }

  // The ray through a point of the window given in -1..1, y up.
  ray(x, y, aspect) {
    const { right, up, back } = this.axes();
    const t = Math.tan(this.angle / 2);
    const direction = add(sub(scaled(right, x * t * aspect), back), scaled(up, y * t));
    return { from: this.eye(), direction };
  }
}
