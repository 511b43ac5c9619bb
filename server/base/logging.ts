import { pino } from 'pino'
import { requestFields } from './current-request.ts'

export type Log = pino.Logger

/** Header values and fields that are redacted from log lines. */
const secretPaths = [
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  'req.headers["x-sandbox-upload-capability"]',
  'req.headers["x-sandbox-download-capability"]',
  'password',
  'token',
  'env',
]

/** JSON lines on standard output, one logger per process; on standard error if standard output has another purpose. */
export const createLog = (role: string, level: string, to: 'stdout' | 'stderr' = 'stdout'): Log =>
  pino(
    { name: role, level, redact: { paths: secretPaths, censor: '[redacted]' }, mixin: requestFields },
    pino.destination({ fd: to === 'stdout' ? 1 : 2, sync: true }),
  )
