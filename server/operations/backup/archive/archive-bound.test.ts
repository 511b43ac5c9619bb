import { expect, test } from 'vitest'
import { withLog } from './archive-bound.ts'

const backup = (name: string, walSegment: string) => ({ name, walSegment, path: '', madeAt: new Date(0) })
const names = (segments: string[], first: string | undefined) =>
  withLog(
    segments.map((segment, at) => backup(`${at}`, segment)),
    first,
  ).map(({ name }) => name)

test('backups count whose log is there from its start, and the newest one always', () => {
  expect(names(['03', '05', '07'], '01')).toEqual(['0', '1', '2'])
  expect(names(['03', '05', '07'], '03')).toEqual(['0', '1', '2'])
  expect(names(['03', '05', '07'], '04')).toEqual(['1', '2'])
  expect(names(['03', '05', '07'], '08')).toEqual(['2'])
  expect(names(['03', '05', '07'], undefined)).toEqual(['2'])
  expect(names([], '03')).toEqual([])
})

test('a backup of another database, with a later segment than a newer one has, does not count', () => {
  expect(names(['03', '90', '05'], '03')).toEqual(['2'])
})
