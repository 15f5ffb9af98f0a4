layout(location = 0) in vec2 corner;
uniform mat4 clip;
uniform vec3 middle;
uniform vec3 along;
uniform vec3 across;
uniform float reach;
out vec3 at;
out vec2 cell;
void main() {
  at = middle + reach * (corner.x * along + corner.y * across);
  cell = vec2(dot(at, along), dot(at, across));
  gl_Position = clip * vec4(at, 1.0);
}
