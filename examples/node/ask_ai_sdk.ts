// The Vercel AI SDK: its own spans tell of the model; `rag` and `retrieval` add the question's frame and the passages.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenTelemetry } from '@ai-sdk/otel'
import { generateText, registerTelemetry } from 'ai'
import { rag, retrieval } from './ragvigil.ts'
import { provider } from './tracing.ts'
import { search, shown } from './water.ts'

registerTelemetry(new OpenTelemetry())
const models = createOpenAICompatible({
  name: 'offline', baseURL: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1', apiKey: process.env.OPENAI_API_KEY,
})
const question = process.argv[2]

const answer = await rag(question, async () => {
  const passages = await retrieval(question, () => search(question))
  const { text } = await generateText({
    model: models('gpt-4o-mini'),
    instructions: `Answer only from these passages, and cite them.\n${shown(passages)}`,
    prompt: question,
    experimental_telemetry: { isEnabled: true },
  })
  return text
})
console.log(answer)
await provider.shutdown()
