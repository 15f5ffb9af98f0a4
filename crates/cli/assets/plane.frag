in vec3 at;
in vec2 cell;
uniform vec3 middle;
uniform vec3 across;
uniform vec3 along;
uniform float reach;
uniform float spacing;
out vec4 result;
float lines(vec2 x) {
  vec2 width = fwidth(x);
  vec2 near = abs(fract(x - 0.5) - 0.5) / max(width, vec2(0.00001));
  float strength = 1.0 - min(max(width.x, width.y) * 2.0, 1.0);
  return (1.0 - min(min(near.x, near.y), 1.0)) * strength;
}
void main() {
  vec3 n = normalize(cross(across, along));
  vec3 paint = vec3(0.80, 0.82, 0.83);
  paint *= 1.0 - 0.12 * lines(cell / spacing) - 0.18 * lines(cell / (10.0 * spacing));
  float far = smoothstep(0.35, 1.0, distance(at, middle) / reach);
  result = vec4(mix(paint * lit(at, n), SKY, far), 1.0);
}
