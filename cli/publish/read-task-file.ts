import { readFile, realpath } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { checkTaskFile, type ScheduleField, type TaskFile, wrongFile } from './task-file.ts'

/** A task file with the texts of the files that it names. */
export interface TaskSource {
  task: TaskFile
  startupScript: string
  workScript: string
  inputSchema: string | null
  inputExample: string | null
  /** Of each schedule, in their order. */
  scheduleInputs: unknown[]
}

/** Reads a task file and the files that it names. Throws an error that names the problem. */
export async function readTaskFile(file: string): Promise<TaskSource> {
  let content: unknown
  try {
    content = parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw wrongFile(file, [reasonOf(error)])
  }
  const task = checkTaskFile(content, file)
  const beside = (path: string | undefined) => (path === undefined ? null : readAdjacent(file, path))
  const document = (given: TaskFile['input_schema']) =>
    typeof given === 'object' ? JSON.stringify(given, null, 2) : beside(given)
  const inputOf = async ({ input }: ScheduleField): Promise<unknown> =>
    input === undefined ? {} : parseInput(file, (await document(input)) ?? '')
  return {
    task,
    startupScript: (await beside(task.startup_script)) ?? '',
    workScript: (await beside(task.work_script)) ?? '',
    inputSchema: await document(task.input_schema),
    inputExample: await document(task.input_example),
    scheduleInputs: await Promise.all(task.schedules.map(inputOf)),
  }
}

function parseInput(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongFile(file, ['the input of a schedule is not JSON'])
  }
}

/** The same task with another owner, of its environment too. */
export const ownedBy = (source: TaskSource, department: string | undefined): TaskSource =>
  department === undefined
    ? source
    : {
        ...source,
        task: {
          ...source.task,
          department,
          ...(source.task.build && { build: { ...source.task.build, department } }),
        },
      }

/**
 * Text of a file next to or below the task file. A task file from elsewhere must not publish other files of this
 * machine, so neither a path nor a link may leave the folder.
 */
async function readAdjacent(file: string, path: string): Promise<string> {
  try {
    const folder = await realpath(dirname(resolve(file)))
    const real = await realpath(resolve(folder, path))
    if (relative(folder, real).startsWith('..')) throw new Error('it is outside the folder of the task file')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(real))
  } catch (error) {
    throw wrongFile(file, [`${path} cannot be read: ${reasonOf(error)}`])
  }
}

/**
 * The folder or archive that an environment is built from, next to or below the task file, for the same reason. Throws an error that
 * names the problem.
 */
export async function buildFolder(file: string, path: string): Promise<string> {
  try {
    const folder = await realpath(dirname(resolve(file)))
    const real = await realpath(resolve(folder, path))
    if (relative(folder, real).startsWith('..')) throw new Error('it is outside the folder of the task file')
    return real
  } catch (error) {
    throw wrongFile(file, [`environment.folder ${path} cannot be used: ${reasonOf(error)}`])
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'ENOTDIR') return 'its folder is a file. An archive must be unpacked first'
  const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  // The parser ends the message with a colon and shows the position on the following lines.
  return first.replace(/:$/, '')
}
