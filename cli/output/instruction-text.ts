import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'

/** Where a build failed, on one line. The text is the author's; the caller must escape it. */
export function instructionText({ line, stage, stage_name: name, text }: FailedInstruction): string {
  const where = name === null ? `stage ${stage}` : `stage ${name}`
  return `Dockerfile:${line} (${where}): ${text}`
}
