"""How prompts label the question, the answer, the context and its passages, in the languages that they are written in.

Alternatives, in lower case.
"""

from __future__ import annotations

ASKED = (
    "question|query|q|user|frage|pregunta|consulta|pergunta|domanda|vraag|fråga|spørgsmål|spørsmål|kysymys|pytanie"
    "|otázka|kérdés|întrebare|вопрос|питання|въпрос|ερώτηση|soru|السؤال|سؤال|سوال|שאלה|प्रश्न|सवाल|คำถาม|câu hỏi"
    "|pertanyaan|问题|問題|提问|質問|질문|soalan|tanong|swali|küsimus|klausimas|jautājums|vprašanje|pitanje|питање"
    "|прашање|pyetja|galdera|spurning|ceist|cwestiwn|sual|savol|сұрақ|асуулт|კითხვა|հարց|پرسش|প্রশ্ন|ਸਵਾਲ|પ્રશ્ન"
    "|கேள்வி|ప్రశ్న|ಪ್ರಶ್ನೆ|ചോദ്യം|ප්‍රශ්නය|ຄຳຖາມ|សំណួរ|မေးခွန်း|ጥያቄ"
)
ANSWERED = (
    "answer|antwort|respuesta|réponse|resposta|risposta|antwoord|svar|vastaus|odpowiedź|odpověď|válasz|răspuns"
    "|ответ|відповідь|отговор|απάντηση|cevap|الإجابة|الجواب|إجابة|תשובה|उत्तर|คำตอบ|câu trả lời|jawaban"
    "|回答|答案|答え|답변|답|trả lời|پاسخ|جواب|উত্তর|jibu|jawapan|sagot|vastus|atsakymas|atbilde|odgovor|odpoveď|одговор"
    "|përgjigje|erantzuna|freagra|ateb|javob|жауап|хариулт|პასუხი|պատասխան|ਜਵਾਬ|જવાબ|பதில்|సమాధానం|జవాబు|ಉತ್ತರ|ഉത്തരം"
    "|පිළිතුර|ຄຳຕອບ|ចម្លើយ|အဖြေ|መልስ"
)
"""The place of the answer."""
CONTEXT = (
    "context|contexts|document|documents|docs|passage|passages|source|sources|excerpt"
    "|excerpts|snippets|chunks|knowledge|kontext|kontexte|dokumente|quellen|textstellen"
    "|auszüge|contexte|contextes|extraits|contexto|contextos|documentos|fuentes"
    "|fragmentos|fontes|trechos|contesto|contesti|documenti|fonti|estratti|documenten"
    "|bronnen|dokument|källor|kilder|konteksti|kontekst|lähteet|dokumenty|źródła|zdroje"
    "|fragmenty|kontextus|források|surse|контекст|документы|источники|документи|джерела"
    "|контексту|πλαίσιο|έγγραφα|πηγές|bağlam|belgeler|kaynaklar|السياق|سياق|المستندات"
    "|المصادر|הקשר|מסמכים|מקורות|संदर्भ|दस्तावेज़|स्रोत|บริบท|เอกสาร|konteks|dokumen|上下文"
    "|文档|文件|文檔|资料|資料|参考资料|来源|背景|背景情報|コンテキスト|文脈|文書|ドキュメント|参考情報|문맥|컨텍스트|문서|자료|متن|زمینه|اسناد"
    "|منابع|প্রসঙ্গ|নথি|search results|knowledge base|ngữ cảnh|tài liệu"
    "|muktadha|kontekstas|konteksts|testuingurua|samhengi|ਸੰਦਰਭ|સંદર્ભ|சூழல்|సందర్భం|ಸಂದರ್ಭ|സന്ദർഭം|සන්දර්භය|კონტექსტი"
    "|համատեքստ|ບໍລິບົດ|បរិបទ|အကြောင်းအရာ|አውድ|contextul|kontextet|konteksten|контекста"
)
"""With these ends a line that says that the context follows."""
BACKGROUND = (
    "context|contexts|kontext|kontexte|contexte|contextes|contexto|contextos|contesto|contesti|konteksti|kontekst"
    "|kontextus|контекст|контексту|πλαίσιο|bağlam|السياق|سياق|הקשר|संदर्भ|บริบท|konteks|上下文|背景情報|コンテキスト|文脈"
    "|참고 자료|参考资料|參考資料|参考資料"
    "|문맥|컨텍스트|زمینه|প্রসঙ্গ|ngữ cảnh|search results|retrieved documents|retrieved passages|knowledge|knowledge base"
    "|muktadha|kontekstas|konteksts|testuingurua|samhengi|ਸੰਦਰਭ|સંદર્ભ|சூழல்|సందర్భం|ಸಂದರ್ಭ|സന്ദർഭം|සන්දර්භය|კონტექსტი"
    "|համատեքստ|ບໍລິບົດ|បរិបទ|အကြောင်းအရာ|አውድ|contextul|kontextet|konteksten|контекста"
)
"""Of these, those that hardly anybody writes over instructions: what is listed below one is passages."""
PASSAGE = (
    "document|doc|passage|source|context|chunk|excerpt|extract|snippet|reference|result|search result"
    "|dokument|quelle|auszug|textstelle|extrait|documento|pasaje|fuente|fragmento|extracto|trecho|passagem|fonte"
    "|passaggio|estratto|brano|bron|fragment|källa|kilde|utdrag|asiakirja|lähde|źródło|zdroj|dokumentum|forrás|sursă"
    "|документ|источник|фрагмент|отрывок|джерело|уривок|έγγραφο|πηγή|απόσπασμα|belge|kaynak|pasaj|المستند|مستند|المصدر"
    "|مصدر|مقطع|מסמך|מקור|קטע|दस्तावेज़|स्रोत|अंश|เอกสาร|แหล่งข้อมูล|tài liệu|nguồn|đoạn|dokumen|sumber|kutipan|文档|文件"
    "|文檔|资料|資料|来源|來源|片段|文書|ドキュメント|出典|문서|자료|출처|سند|منبع|নথি"
)
"""One passage, with a number behind it."""
COLON = r"[*_]*[^\S\n]*[:\uff1a][*_]*"
"""French and some others set a space before a colon, often one that does not break; Markdown, emphasis around it."""
HEAD = r"[ \t]*+(?:#{1,6}[ \t]++)?[*_]*+"
"""What Markdown may put before a label; of a line of blanks nothing is given back."""
