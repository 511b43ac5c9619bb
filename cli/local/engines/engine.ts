/** Image that a task is run on. */
export type ImageSource =
  | { kind: 'folder'; path: string }
  | { kind: 'image'; name: string }
  | { kind: 'rootfs'; path: string }

/** The part of an image's configuration that a run uses. */
export interface ImageConfig {
  /** `NAME=value` pairs. */
  env: string[]
}

/** One sandbox of a run. */
export interface SandboxPlan {
  /** Tar of everything below /workspace and /.sandbox. */
  archive: string
  argv: readonly string[]
  memoryMib: number
  workspaceMib: number
  pids: number
  network: boolean
}

/** Of a program that was killed. */
export const killedCode = 137

export interface Ended {
  exitCode: number
  outOfMemory: boolean
}

/** The files that a run leaves for the service. */
export type ResultName = 'output.json' | 'artifacts'

export interface Container {
  /** Runs the program to its end. `onLog` gets its standard output and error together. */
  run(onLog: (bytes: Buffer) => void): Promise<Ended>
  /** Ends all its programs, also where `run` has not started them yet; `run` then returns. */
  kill(): Promise<void>
  /** Ends all its programs while this command ends, without a wait. */
  abandon(): void
  /** A tar of what is at that path below /workspace, empty if nothing is. Only after the end. */
  result(name: ResultName): AsyncIterable<Buffer>
  remove(): Promise<void>
}

/** A program on this machine that runs containers. */
export interface Engine {
  name: string
  /** Limits of a run on the service that this engine does not enforce. */
  notLimited: readonly string[]
  /** Makes the image ready. `onLog` gets what a build or a download prints; the signal ends it. */
  prepare(source: ImageSource, onLog: (bytes: Buffer) => void, signal: AbortSignal): Promise<ImageConfig>
  /** Makes the sandbox of a run on the prepared image. */
  create(plan: SandboxPlan): Promise<Container>
  /** Removes what `prepare` made and no one else uses. */
  dispose(): Promise<void>
}
