import { JsonRefused, parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  type Inventory,
  inventoryBounds,
  type LayerInventory,
  observationRules,
  packageKinds,
  unreadReasons,
} from './inventory.ts'

/** An image with twenty thousand packages needs about a quarter of it. */
export const maxInventoryBytes = 32 * 1024 ** 2

const { nameLength, versionLength, packages, observations, unread, pathsPerPackage } = inventoryBounds
const Name = Type.String({ minLength: 1, maxLength: nameLength })
const Version = Type.String({ minLength: 1, maxLength: versionLength })
const Path = Type.String({ maxLength: 4096 })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String({ maxLength: 128 })
const Strict = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

const properties = {
  system: Type.Optional(Strict({ id: Text, version: Text, name: Text })),
  packages: Type.Array(
    Strict({
      kind: Type.Enum([...packageKinds]),
      namespace: Type.Optional(Name),
      name: Name,
      version: Version,
      architecture: Type.Optional(Text),
      source: Type.Optional(Strict({ name: Name, version: Version })),
      paths: Type.Array(Path, { minItems: 1, maxItems: pathsPerPackage }),
    }),
    { maxItems: packages },
  ),
  observations: Type.Array(Strict({ rule: Type.Enum([...observationRules]), path: Path }), {
    maxItems: observations,
  }),
  unread: Type.Array(Strict({ path: Path, reason: Type.Enum([...unreadReasons]) }), { maxItems: unread }),
  truncated: Type.Boolean(),
  files: Count,
  bytes: Count,
}
const checker = Compile(Strict(properties))
const layerChecker = Compile(Strict({ ...properties, hidden: Type.Array(Count) }))

/** Parses the inventory from a reader process; undefined for anything that a correct reader does not write. */
export function parseInventory(bytes: Buffer): Inventory | undefined {
  const value = parsed(bytes)
  return checker.Check(value) ? { ...value, system: value.system } : undefined
}

/** The same for a layer, whose reader was asked about so many paths. */
export function parseLayerInventory(bytes: Buffer, paths: number): LayerInventory | undefined {
  const value = parsed(bytes)
  if (!layerChecker.Check(value) || value.hidden.some((index) => index >= paths)) return undefined
  return { ...value, system: value.system }
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes, { maxBytes: maxInventoryBytes, maxDepth: 6, maxNodes: 500_000 })
  } catch (error) {
    if (error instanceof JsonRefused) return undefined
    throw error
  }
}
