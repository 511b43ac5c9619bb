import {
  artifactsDir,
  artifactsDirEnv,
  chatroomIdEnv,
  inputsFile,
  inputsFileEnv,
  invocation,
  outputFile,
  outputFileEnv,
  runIdEnv,
  taskIdEnv,
  taskVersionIdEnv,
  writebackTokenEnv,
  writebackUrlEnv,
} from './runtime-contract.ts'

/** Ids of the run and of what it runs, which the job may read. */
export interface JobIdentity {
  runId: string
  chatroomId: string
  taskId: string
  taskVersionId: string
}

export interface JobEnvironment {
  /** `NAME=value` pairs of the image's configuration; pairs that a shell cannot export are left out. */
  imageEnv: readonly string[]
  /** Names that a shell can export. */
  env: Record<string, string>
  /** Values by name, above those of `env`. */
  secrets: Record<string, string>
  identity: JobIdentity
  /** Where a run with an output policy writes, and its secret. */
  callback?: { url: string; token: string } | undefined
}

const imageShell = '/bin/sh'
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Without a locale Java and others can write no names or text beyond ASCII. Images of Debian and Alpine have this one. */
const defaultLocale = 'C.UTF-8'

/**
 * Shell text that exports the environment of a job and then evaluates the invocation of the runtime contract (part 1), in the
 * image's shell if it has one. Each value is one single-quoted word, so nothing in it is expanded. HOME is that of the image's
 * user, which only the sandbox can look up.
 */
export function jobPrelude(job: JobEnvironment): string {
  const env = {
    PATH: defaultPath,
    LANG: defaultLocale,
    ...readImageEnv(job.imageEnv),
    ...job.env,
    ...job.secrets,
    [inputsFileEnv]: inputsFile,
    [outputFileEnv]: outputFile,
    [artifactsDirEnv]: artifactsDir,
    [runIdEnv]: job.identity.runId,
    [chatroomIdEnv]: job.identity.chatroomId,
    [taskIdEnv]: job.identity.taskId,
    [taskVersionIdEnv]: job.identity.taskVersionId,
    ...(job.callback && {
      [writebackUrlEnv]: job.callback.url,
      [writebackTokenEnv]: job.callback.token,
    }),
  }
  return [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`),
    `if [ -x ${imageShell} ]; then exec ${imageShell} -c ${shellWord(invocation)}; fi`,
    invocation,
  ].join('\n')
}

const imageEnvPattern = /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)$/s

function readImageEnv(pairs: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {}
  for (const pair of pairs) {
    const [, name, value] = imageEnvPattern.exec(pair) ?? []
    if (name !== undefined && value !== undefined) env[name] = value
  }
  return env
}

/** A single-quoted shell word; nothing in it is expanded. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
