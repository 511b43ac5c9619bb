import { expect, test } from 'vitest'
import { managersOf, possibleManagers } from './managers-of.ts'

const person = (role: number, managed: string[] = [], disabled_at: string | null = null) => ({
  role,
  managed_department_ids: managed,
  disabled_at,
})

test('managers of a department are those whom it names', () => {
  const manager = person(2, ['dep_1'])
  expect(managersOf('dep_1', [manager, person(2, ['dep_2']), person(4)])).toEqual([manager])
})

test('only members and managers of departments can be added: others would lose rights, and disabled people have none', () => {
  const [member, other] = [person(1), person(2, ['dep_2'])]
  const everybody = [
    member,
    other,
    person(2, ['dep_1']),
    person(0),
    person(3),
    person(4),
    person(1, [], '2026'),
  ]
  expect(possibleManagers('dep_1', everybody)).toEqual([member, other])
})
