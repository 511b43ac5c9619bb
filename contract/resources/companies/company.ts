import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { DateTime } from '../../schema.ts'

/** The tenant. Every resource of a tenant belongs to one company (contract part 3, D1). */
export const Company = Type.Object({ id: Identifier, name: Type.String(), created_at: DateTime })
export type Company = Static<typeof Company>
