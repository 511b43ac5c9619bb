import { expect, test } from 'vitest'
import { followTopic, ownTopics, TopicsOfTabs } from './live-topics.ts'

test('a topic that two parts of a screen follow stays until both have left', () => {
  const [first, second] = [followTopic('build:bld_1'), followTopic('build:bld_1')]
  first()
  expect(ownTopics.get()).toEqual(['build:bld_1'])
  second()
  expect(ownTopics.get()).toEqual([])
})

test('topics of all tabs are one list, without those of tabs that have left', () => {
  const topics = new TopicsOfTabs()
  topics.note('a', ['build:bld_1'])
  topics.note('b', ['build:bld_1', 'build:bld_2'])
  topics.note('a', [])
  expect(topics.all()).toEqual(['me', 'room:*', 'build:bld_1', 'build:bld_2'])
})

test('the tabs that changed last have their topics when there are too many', () => {
  const topics = new TopicsOfTabs()
  for (let tab = 0; tab < 40; tab++) topics.note(`tab${tab}`, [`build:bld_${tab}`])
  topics.note('tab0', ['build:bld_0'])
  expect(topics.all()).toHaveLength(32)
  expect(topics.all().slice(0, 4)).toEqual(['me', 'room:*', 'build:bld_0', 'build:bld_39'])
})
