// Meshes in their own frame. A corner is x, y, z and the share of the stretch (see pose.glsl),
// then the direction it faces.
class Mesh {
  constructor() {
    this.corners = [];
    this.triangles = [];
    this.edges = [];
    this.isRound = false;
  }

  corner(at, facing, stretch = 0) {
    this.corners.push(at[0], at[1], at[2], stretch, facing[0], facing[1], facing[2]);
    return this.corners.length / 7 - 1;
  }

  // A flat polygon, counter-clockwise from outside.
  face(points, isSharp) {
    const facing = unit(cross(sub(points[1], points[0]), sub(points[2], points[0])));
    const first = this.corners.length / 7;
    for (const point of points) this.corner(point, facing);
    for (let i = 2; i < points.length; i++) this.triangles.push(first, first + i - 1, first + i);
    for (let i = 0; i < points.length; i++) {
      const j = (i + 1) % points.length;
      if (isSharp(i, j)) this.edges.push(first + i, first + j);
    }
  }
}

function boxMesh() {
  const mesh = new Mesh();
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const points = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => {
        const point = [0, 0, 0];
        point[axis] = side;
        point[(axis + 1) % 3] = u * side;
        point[(axis + 2) % 3] = v;
        return point;
      });
      // Each edge belongs to two faces; one of them draws it.
      mesh.face(points, (i, j) => points[i][(axis + 1) % 3] !== points[j][(axis + 1) % 3]);
    }
  }
  return mesh;
}

// A ball of radius 1; cut at the equator and stretched, a capsule.
function ballMesh(fineness) {
  const mesh = new Mesh();
  mesh.isRound = true;
  const rings = [];
  for (let i = 0; i <= fineness; i++) {
    rings.push([i, 1]);
    if (2 * i === fineness) rings.push([i, -1]);
  }
  const around = 2 * fineness;
  rings.forEach(([i, half], row) => {
    const low = Math.PI * i / fineness;
    const stretch = 2 * i < fineness ? 1 : 2 * i > fineness ? -1 : half;
    for (let k = 0; k <= around; k++) {
      const angle = 2 * Math.PI * k / around;
      const at = [Math.sin(low) * Math.cos(angle), Math.cos(low), Math.sin(low) * Math.sin(angle)];
      mesh.corner(at, at, stretch);
      if (row > 0 && k > 0) {
        const here = row * (around + 1) + k;
        const above = here - around - 1;
        mesh.triangles.push(above - 1, above, here, above - 1, here, here - 1);
      }
    }
  });
  return mesh;
}

function hullMesh(hull) {
  const mesh = new Mesh();
  const at = (i) => hull.v.slice(3 * i, 3 * i + 3);
  for (const face of hull.f) mesh.face(face.map(at), (i, j) => face[i] < face[j]);
  return mesh;
}
