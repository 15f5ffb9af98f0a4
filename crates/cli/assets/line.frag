in vec4 tint;
in vec2 spot;
uniform float opacity;
out vec4 result;
void main() {
  if (dot(spot, spot) > 1.0) discard;
  result = vec4(tint.rgb, tint.a * opacity);
}
