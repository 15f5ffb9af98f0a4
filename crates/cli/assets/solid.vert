uniform mat4 clip;
out vec3 at;
out vec3 normal;
out vec3 inside;
out vec4 tint;
flat out float label;
void main() {
  at = place + turned(turn, inBody());
  normal = turned(turn, facing / size.xyz);
  inside = corner.xyz;
  tint = colour;
  label = number;
  gl_Position = clip * vec4(at, 1.0);
}
