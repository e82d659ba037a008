import type { TestProject } from "vitest/node";
import { decodesAv1, encodesHevc } from "../node-support/installed-ffmpeg.ts";

/** Tells the suites whether an ffmpeg is installed that decodes AV1, and one that encodes H.265. */
export default function setUp(project: TestProject): void {
  project.provide("decodesAv1", decodesAv1());
  project.provide("encodesHevc", encodesHevc());
}

declare module "vitest" {
  interface ProvidedContext {
    decodesAv1: boolean;
    encodesHevc: boolean;
  }
}
