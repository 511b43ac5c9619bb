import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleId } from '../../ids.ts'
import { OneOf } from '../../schema.ts'

export const foundMax = 20
/** Characters of the text that is searched for. */
export const foundTextLength = { minLength: 2, maxLength: 100 } as const
export const foundKinds = ['chatroom', 'task', 'environment', 'table', 'run', 'user'] as const

export const FoundThing = Type.Object({
  kind: about('Kind of the thing.', OneOf(foundKinds), 'task'),
  id: about('Its identifier.', Type.String(), exampleId('task')),
  title: about('Its name; the identifier of a run.', Type.String(), 'Sales report'),
  detail: about(
    'Start of its description, login of a person, or state of a run; may be empty.',
    Type.String({ maxLength: 200 }),
    'Totals by product for one month',
  ),
  path: about(
    'Where the console shows it, below the address of the service.',
    Type.String(),
    `/console/tasks/${exampleId('task')}`,
  ),
})
export type FoundThing = Static<typeof FoundThing>

export const FoundThings = Type.Object({
  items: about(
    'What the caller may see: names that begin with the text first.',
    Type.Array(FoundThing, { maxItems: foundMax }),
  ),
})
export type FoundThings = Static<typeof FoundThings>
