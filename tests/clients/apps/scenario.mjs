// The first scenario of scenario.py, for the applications in JavaScript; a test holds the records of both against scenario.py.
export const MODEL = 'tiny-chat-1'
export const INPUT_TOKENS = 61
export const OUTPUT_TOKENS = 17
export const FERRY = {
  question: "À quelle heure part le dernier bateau pour l'île de Groix ?",
  passages: [
    ['horaires-3', "En été, le dernier bateau part à 19 h 45 ; l'hiver, à 18 h 30.", 0.83],
    ['tarifs-1', "L'aller-retour coûte 38 €, 22 € pour les enfants.", 0.44],
    ['quai-9', 'Embarquement au quai nº 2 : présentez-vous 30 min avant.', 0.12],
  ],
  answer: "En été, à 19 h 45 ; l'hiver, à 18 h 30 [1].",
}
