import { type Attack, hammer } from '../attack.ts'
import type { Hostile } from '../companies.ts'
import { type RequestOptions, sendRequest } from '../send-request.ts'
import { doorHeaders, folderOfMany, users } from '../session-files.ts'

/* The longest loops over the names and the bytes of a session's files. */

const door = '/doors/open_terminal'

const asUser = (hostile: Hostile, user: string, options: RequestOptions): RequestOptions => ({
  ...options,
  anonymous: true,
  headers: doorHeaders(hostile.door, user),
})

/** Repeats each of the requests with so many clients. */
const repeated = async (
  hostile: Hostile,
  {
    requests,
    atOnce,
    ...counted
  }: Omit<Parameters<typeof hammer>[0], 'atOnce'> & {
    requests: RequestOptions[]
    atOnce: number
  },
): Promise<void> => {
  await Promise.all(
    requests.map((options) => hammer({ ...counted, atOnce }, (stop) => sendRequest(hostile, options, stop))),
  )
}

const setOf = (count: number) =>
  `[${Array.from({ length: count }, (_, at) => String.fromCharCode(0x100 + at)).join('')}]`

function globPath(pattern: string, exclude: string[] = []): string {
  const parameters = new URLSearchParams({ pattern })
  for (const one of exclude) parameters.append('exclude', one)
  return `${door}/files/glob?${parameters}`
}

const glob: Attack = {
  name: 'glob',
  about: 'patterns that compare as much as they can, over the longest names',
  run: (hostile, signal, answers) =>
    repeated(hostile, {
      ...{ signal, answers, atOnce: 10 },
      requests: [
        asUser(hostile, users.long, { path: globPath(`*${setOf(250)}`) }),
        asUser(hostile, users.many, { path: globPath(`${'*n'.repeat(120)}x`) }),
        asUser(hostile, users.many, { path: globPath('*', Array(16).fill('*n*n*n*x')) }),
      ],
    }),
}

const zips: Attack = {
  name: 'zips',
  about: 'twenty archives of 19,000 files at once, and lists of them',
  run: (hostile, signal, answers) =>
    repeated(hostile, {
      ...{ signal, answers, atOnce: 20 },
      requests: [
        asUser(hostile, users.many, { path: `${door}/files/archive`, json: { paths: [folderOfMany] } }),
        asUser(hostile, users.many, { path: `${door}/files/list?directory=${folderOfMany}` }),
      ],
    }),
}

export const sessionAttacks: Attack[] = [glob, zips]
