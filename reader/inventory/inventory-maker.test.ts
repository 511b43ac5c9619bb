import { expect, test } from 'vitest'
import { inventoryBounds } from './inventory.ts'
import { InventoryMaker } from './inventory-maker.ts'

/* The text of all packages together is bounded, whatever an image calls them and where it has them. */

const textBytes = (texts: string[]) => Buffer.byteLength(texts.join(''))

test('packages with very long names are left out, and the inventory is marked as truncated', () => {
  const maker = new InventoryMaker()
  const name = '名'.repeat(inventoryBounds.nameLength - 10)
  for (let at = 0; at < 11_000; at += 1) {
    maker.addPackage({ kind: 'apk', name: `${name}${at}`, version: '1' }, 'lib/apk/db/installed')
  }
  const { packages, truncated } = maker.inventory()
  expect(packages.length).toBeGreaterThan(9000)
  expect(truncated).toBe(true)
  const names = packages.flatMap(({ name, paths }) => [name, ...paths])
  expect(textBytes(names)).toBeLessThan(inventoryBounds.packageTextBytes)
})

test('very long further paths of packages are left out, and the inventory is marked as truncated', () => {
  const maker = new InventoryMaker()
  const folder = 'd'.repeat(3000)
  for (let at = 0; at < 3000; at += 1) {
    maker.addPackage({ kind: 'npm', name: `a${at % 600}`, version: '1.0.0' }, `${folder}${at}`)
  }
  const { packages, truncated } = maker.inventory()
  expect([packages.length, truncated]).toEqual([600, true])
  expect(textBytes(packages.flatMap(({ paths }) => paths))).toBeLessThan(inventoryBounds.packageTextBytes)
})
