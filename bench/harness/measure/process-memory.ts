import { readdir, readFile } from 'node:fs/promises'
import { processesBelow } from './process-cpu.ts'

export interface ProcessMemory {
  /** The process as its command line identifies it. */
  name: string
  /** Its private memory and its share of the memory that it shares with others. */
  pssBytes: number
}

/** Memory of a process and its descendants; the sum counts nothing twice. Reading it of all processes needs root. */
export async function treeMemory(root: number): Promise<ProcessMemory[]> {
  const found = await Promise.all((await processesBelow(root)).map(memoryOf))
  return found.filter((memory) => memory !== undefined)
}

/** Memory of the processes that were started with an argument below `folder`. */
export async function memoryOfNamed(program: string, folder: string): Promise<ProcessMemory[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found: ProcessMemory[] = []
  for (const pid of pids) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
    if (!commandLine.split('\0')[0]?.endsWith(program) || !commandLine.includes(folder)) continue
    const memory = await memoryOf(pid)
    if (memory) found.push(memory)
  }
  return found
}

async function memoryOf(pid: number): Promise<ProcessMemory | undefined> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const kiB = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]
  if (kiB === undefined) return undefined
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
  const [program = '', ...rest] = commandLine.split('\0')
  const isNode = /(^|\/)node$/.test(program)
  const path = isNode ? rest.find((argument) => !argument.startsWith('-')) : program
  const name = path?.split('/').at(-1) ?? ''
  return { name, pssBytes: Number(kiB) * 1024 }
}
