// Draws the nodes with WebGL: one point a node, whose kind is a shape as well as a colour, the same as in the lists.
import { NodeProgram } from "sigma/rendering";
import type { NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";
import type { ProgramInfo } from "sigma/rendering";
import { KINDS, type Kind } from "./view";

const UNIFORMS = ["u_matrix", "u_sizeRatio", "u_pixelRatio"] as const;

const VERTEX = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_position;
attribute float a_size;
attribute float a_shape;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
varying vec4 v_color;
varying float v_shape;
varying float v_pixel;
const float bias = 255.0 / 254.0;
void main() {
  gl_Position = vec4((u_matrix * vec3(a_position, 1)).xy, 0, 1);
  float side = max(a_size / u_sizeRatio, 1.2) * u_pixelRatio * 2.2;
  gl_PointSize = side;
  v_pixel = 2.0 / side;
  v_shape = a_shape;
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= bias;
}`;

// The distance of a point from the outline of each shape, in a square from -1 to 1.
const FRAGMENT = `
precision mediump float;
varying vec4 v_color;
varying float v_shape;
varying float v_pixel;
float outline(vec2 at) {
  vec2 far = abs(at);
  if (v_shape < 0.5) return max(far.x, far.y) - 0.78;
  if (v_shape < 1.5) return length(at) - 0.9;
  if (v_shape < 2.5) return max(far.x * 0.894 + at.y * -0.447 - 0.4, at.y - 0.8);
  if (v_shape < 3.5) return (far.x + far.y) * 0.707 - 0.68;
  return max(far.x * 0.866 + far.y * 0.5, far.y) - 0.82;
}
void main() {
  float distance = outline(gl_PointCoord * 2.0 - 1.0);
  #ifdef PICKING_MODE
  gl_FragColor = distance > v_pixel ? vec4(0.0) : v_color;
  #else
  gl_FragColor = v_color * (1.0 - smoothstep(-v_pixel, v_pixel, distance));
  #endif
}`;

export interface ShapeData extends NodeDisplayData {
  kind: Kind;
}

export class ShapeProgram extends NodeProgram<(typeof UNIFORMS)[number]> {
  getDefinition() {
    const { FLOAT, UNSIGNED_BYTE, POINTS } = WebGLRenderingContext;
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: POINTS,
      UNIFORMS,
      ATTRIBUTES: [
        { name: "a_position", size: 2, type: FLOAT },
        { name: "a_size", size: 1, type: FLOAT },
        { name: "a_shape", size: 1, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
      ],
    };
  }

  processVisibleItem(index: number, at: number, data: ShapeData): void {
    this.array.set([data.x, data.y, data.size, KINDS.indexOf(data.kind), floatColor(data.color), index], at);
  }

  setUniforms(params: RenderParams, { gl, uniformLocations }: ProgramInfo): void {
    gl.uniformMatrix3fv(uniformLocations["u_matrix"]!, false, params.matrix);
    gl.uniform1f(uniformLocations["u_sizeRatio"]!, params.sizeRatio);
    gl.uniform1f(uniformLocations["u_pixelRatio"]!, params.pixelRatio);
  }
}
