import { shellWord } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import { sessionDir, workspaceDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'

/*
 * The work script of a command. Both of its outputs stay where they are, so that the log of the run has them in the order in which
 * they were written. All text of the request stands in single quotes, so that only the person's own shell expands it.
 */

/** Where the files of a person are. */
export const homeDir = sessionDir

const commandFile = `${workspaceDir}/command.sh`
/** The exit code where the command cannot be started. */
const setUpFailed = 125
const orFail = `|| exit ${setUpFailed}`

/** Not kept: package managers fill it with more files than a session has space for. */
const cacheDir = `${workspaceDir}/cache`
const variables = { HOME: homeDir, XDG_CACHE_HOME: cacheDir, npm_config_cache: `${cacheDir}/npm` }

interface CommandSetting {
  /** Absolute. */
  folder: string
  /** The command of the door's language: it runs the file in `$1`. */
  shell: string
  /** Variables of the request, which are set already. */
  env: Readonly<Record<string, string>>
}

export const commandScript = (command: string, { folder, shell, env }: CommandSetting): string =>
  [
    ...Object.entries(variables).flatMap(([name, value]) =>
      Object.hasOwn(env, name) ? [] : [`export ${name}=${value}`],
    ),
    // Where package managers put the programs of one user.
    `export PATH="$PATH:${homeDir}/.local/bin"`,
    `printf '%s\\n' ${shellWord(command)} >${commandFile} ${orFail}`,
    `cd ${shellWord(folder)} ${orFail}`,
    `set -- ${commandFile}`,
    shell,
    '',
  ].join('\n')
