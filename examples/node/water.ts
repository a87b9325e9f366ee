// Three passages, and the search for those that share the most words with a question.
import type { Passage } from './ragvigil.ts'

const PASSAGES: Record<string, string> = {
  'water-1': 'At sea level, water boils at 100 degrees Celsius.',
  'water-2': 'The boiling point of water falls with altitude because air pressure is lower.',
  'ice-1': 'Water freezes at 0 degrees Celsius under normal pressure.',
}

export async function search(query: string): Promise<Passage[]> {
  const wanted = words(query)
  return Object.entries(PASSAGES)
    .map(([id, text]) => ({ id, text, score: [...words(text)].filter(word => wanted.has(word)).length / Math.max(1, wanted.size) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, 2)
}

export const shown = (passages: Passage[]) => passages.map(({ id, text }) => `[${id}] ${text}`).join('\n')

const words = (text: string) => new Set(text.toLowerCase().match(/\w{4,}/g) ?? [])
