import type { SandboxRuntime } from '../../../../agent/port/sandbox-spec.ts'

/** A control in the source of the executor, and its replacement when it is removed. */
export interface Edit {
  /** Below agent. */
  file: string
  original: string
  replacement: string
}

export interface Hole {
  name: string
  edits: Edit[]
  /** Classes of attempts that test it, or single attempts: `class/name`. */
  tries: string[]
  /** Further edits for the launcher, which has the control as well. */
  launcher?: Edit[]
  /** Absent: crun and the launcher. */
  runtime?: SandboxRuntime
}

export const runtimesOf = ({ runtime }: Hole): SandboxRuntime[] =>
  runtime ? [runtime] : ['crun', 'launcher']

/** Everything that removes the control from that runtime. */
export const editsOn = ({ edits, launcher = [] }: Hole, runtime: SandboxRuntime): Edit[] =>
  runtime === 'launcher' ? [...edits, ...launcher] : edits

export const edit = (file: string, original: string, replacement: string): Edit => ({
  file,
  original,
  replacement,
})
export const without = (file: string, original: string) => edit(file, original, '')

/** One mount more in each sandbox. `mount` is the source of an entry. */
export const withMount = (mount: string) => {
  const last = '...(gvisor ? gvisorMounts : [])'
  return edit('bundle/spec.ts', last, `${last}, ${mount}`)
}
