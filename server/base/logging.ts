import { pino } from 'pino'

export type Log = pino.Logger

/** Header values and fields that never reach a log line. */
const secretPaths = [
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  'req.headers["x-sandbox-upload-capability"]',
  'password',
  'token',
  'env',
]

/** JSON lines on standard output, one logger per process; on standard error where output is for something else. */
export const createLog = (role: string, level: string, to: 'stdout' | 'stderr' = 'stdout'): Log =>
  pino(
    { name: role, level, redact: { paths: secretPaths, censor: '[redacted]' } },
    pino.destination({ fd: to === 'stdout' ? 1 : 2, sync: true }),
  )
