import { expect, it } from 'vitest'
import { basePreset, presetNames, versionedRecipes } from './base-presets.ts'

it.each(versionedRecipes)('$preset has users, processes, time zones and certificates', ({ packages }) => {
  expect(packages).toEqual(expect.arrayContaining(['apt', 'ca-certificates', 'passwd', 'procps', 'tzdata']))
})

it('has a user where the public image of the same name has one', () => {
  expect(
    versionedRecipes.filter(({ user }) => user !== undefined).map(({ preset, user }) => [preset, user]),
  ).toEqual([
    ['node:20', 'node'],
    ['node:18', 'node'],
  ])
})

it('has one image for each name', () => {
  for (const name of presetNames) expect(basePreset(name).name).toMatch(/^curated\/[a-z]+:/)
  expect(new Set(versionedRecipes.map(({ name }) => name)).size).toBe(versionedRecipes.length)
  expect(basePreset('python')).toEqual(basePreset('python:3.13'))
})
