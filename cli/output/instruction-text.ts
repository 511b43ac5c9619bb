import type { FailedInstruction } from '@sandbox-jobs/contract/resources/build-details.ts'

/** Where a build failed, on one line; its text is the author's and has to be escaped. */
export function instructionText({ line, stage, stage_name: name, text }: FailedInstruction): string {
  const where = name === null ? `stage ${stage}` : `stage ${name}`
  return `Dockerfile:${line} (${where}): ${text}`
}
