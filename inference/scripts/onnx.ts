/** The parts of an ONNX `ModelProto` (onnx.proto3, IR version 8, opset 13) that the networks of the tests need. */
import { bytesField, floatsField, intField, intsField, message, stringField } from "./protobuf.ts";

/** Element types of tensors. */
export const FLOAT = 1;
export const UINT8 = 2;
export const INT64 = 7;

/** A float32 initialiser. */
export function tensor(name: string, dims: number[], values: number[]): Uint8Array {
  return message(intsField(1, dims), intField(2, FLOAT), floatsField(4, values), stringField(8, name));
}

/** An int64 initialiser of one dimension. */
export function int64Tensor(name: string, values: number[]): Uint8Array {
  return message(
    intsField(1, [values.length]),
    intField(2, INT64),
    intsField(7, values),
    stringField(8, name),
  );
}

/** An attribute that holds a whole number. */
export function attributeInt(name: string, whole: number): Uint8Array {
  return message(stringField(1, name), intField(3, whole), intField(20, 2));
}

/** An attribute that holds whole numbers. */
export function attributeInts(name: string, values: number[]): Uint8Array {
  return message(stringField(1, name), intsField(8, values), intField(20, 7));
}

/** An operation with one output. */
export function node(
  type: string,
  { inputs, output, attributes = [] }: { inputs: string[]; output: string; attributes?: Uint8Array[] },
): Uint8Array {
  return message(
    ...inputs.map((input) => stringField(1, input)),
    stringField(2, output),
    stringField(4, type),
    ...attributes.map((attribute) => bytesField(5, attribute)),
  );
}

function dimension(size: number | string): Uint8Array {
  return typeof size === "number" ? message(intField(1, size)) : message(stringField(2, size));
}

/** An input or output; text names a dimension of any size. */
export function value(name: string, dims: (number | string)[], element = FLOAT): Uint8Array {
  const shape = message(...dims.map((dim) => bytesField(1, dimension(dim))));
  const type = message(intField(1, element), bytesField(2, shape));
  return message(stringField(1, name), bytesField(2, message(bytesField(1, type))));
}

/** A model of one graph. */
export function modelOf(graph: Uint8Array): Uint8Array {
  return message(
    intField(1, 8),
    stringField(2, "veil"),
    bytesField(7, graph),
    bytesField(8, message(intField(2, 13))),
  );
}
