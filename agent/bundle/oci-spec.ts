import type { SeccompProfile } from './seccomp.ts'

/** Ids inside, from the first one, and those outside that they are. */
interface IdMapping {
  containerID: number
  hostID: number
  size: number
}

export interface OciMount {
  destination: string
  type: string
  source: string
  options: string[]
}

/** The part of the OCI runtime specification that a sandbox needs. */
export interface OciSpec {
  ociVersion: '1.0.0'
  root: { path: string; readonly: false }
  hostname: string
  process: {
    terminal: false
    args: string[]
    env: string[]
    cwd: string
    user: { uid: number; gid: number; umask: number }
    capabilities: Record<'bounding' | 'effective' | 'inheritable' | 'permitted' | 'ambient', string[]>
    noNewPrivileges: true
    rlimits: { type: string; hard: number; soft: number }[]
  }
  mounts: OciMount[]
  linux: {
    namespaces: { type: string; path?: string }[]
    uidMappings: IdMapping[]
    gidMappings: IdMapping[]
    maskedPaths: string[]
    readonlyPaths: string[]
    sysctl?: Record<string, string>
    /** Absent with a compiled filter. */
    seccomp?: SeccompProfile
  }
  /** The compiled filter, in base64. */
  annotations: { 'run.oci.seccomp_bpf_data'?: string }
}
