import { InvalidArgumentError } from 'commander'

const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses an option that is a time, or how long ago it was: `90s`, `10m`, `2h`, `3d`, `2030-01-31T12:00:00Z`. */
export function timeOrAge(text: string): Date {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (number !== undefined) return new Date(Date.now() - Number(number) * (unitMs[unit] ?? 0))
  const at = new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN)
  if (!Number.isNaN(at.getTime())) return at
  throw new InvalidArgumentError(
    'It must be an age such as 10m, 2h or 3d, or a time such as 2030-01-31T12:00:00Z.',
  )
}
