import { type FSWatcher, watch } from 'node:fs'
import { sep } from 'node:path'

/** An editor writes a file in several steps, and a checkout many files. */
const quietMs = 300

/** Folders whose changes are never those of an author. */
const leftOut = new Set(['.git', 'node_modules', '__pycache__'])

/** Calls `onSaved` after files below the folder have changed and then nothing more for a moment. */
export function watchSaves(folder: string, onSaved: () => void): FSWatcher {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(folder, { recursive: true }, (_event, path) => {
    if (path?.split(sep).some((part) => leftOut.has(part))) return
    clearTimeout(timer)
    timer = setTimeout(onSaved, quietMs)
  })
  return watcher.on('close', () => clearTimeout(timer))
}
