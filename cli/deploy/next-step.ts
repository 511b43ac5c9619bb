import { join } from 'node:path'
import { escapeControls } from '../output/escape-controls.ts'
import { shellWord } from '../output/shell-word.ts'
import type { TaskFile } from '../publish/task-file.ts'

/** The commands that follow a first deployment: a run where the task is enabled, or else a room that may use it. */
export function nextStep(dir: string, { name, enable, input_example }: TaskFile): string {
  const task = shellWord(escapeControls(name))
  const [room] = enable
  if (room === undefined) {
    return `The task file names no room to enable it in. Next, with a room of sandbox rooms:
  sandbox share ${task} --room ROOM
  sandbox enable ${task} --room ROOM`
  }
  const input =
    typeof input_example === 'string' ? ` --input ${shellWord(escapeControls(join(dir, input_example)))}` : ''
  return `Next:\n  sandbox run ${task} --room ${shellWord(escapeControls(room))}${input} --watch`
}
